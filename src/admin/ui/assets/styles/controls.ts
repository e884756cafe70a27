/** Controls: buttons, fields, switches, notices, dialogs. */
export const controlStyles = /* css */ `
.button {
  display: inline-flex; align-items: center; justify-content: center; gap: var(--space-2); min-height: var(--control-height);
  padding: 0 var(--space-4); border: 1px solid var(--line-strong); border-radius: var(--radius); background: var(--surface);
  color: var(--text); font-weight: 550; text-decoration: none; white-space: nowrap; cursor: pointer;
}
.button:hover { background: var(--surface-sunken); }
.button:focus-visible { border-radius: var(--radius); }
.button-primary { background: var(--accent-fill); border-color: transparent; color: var(--on-accent-fill); }
.button-primary:hover { background: var(--accent-fill-hover); }
.button-danger { background: var(--danger-fill); border-color: transparent; color: var(--on-danger-fill); }
.button-danger:hover { background: var(--danger-fill-hover); }
.button-danger-quiet { color: var(--danger); }
.button-danger-quiet:hover { background: var(--danger-soft); border-color: var(--danger); }
.button-quiet { border-color: transparent; background: transparent; color: var(--text-muted); }
.button-quiet:hover { color: var(--text); background: var(--surface-sunken); }
.button-small { min-height: 1.875rem; padding: 0 var(--space-3); font-size: var(--text-small); }
.button:disabled, .button[aria-disabled="true"] {
  background: var(--surface-sunken); border-color: var(--line); color: var(--text-muted); cursor: not-allowed;
}
.button-row { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2); }
.field { display: grid; gap: 0.375rem; }
.field > label, .label { font-weight: 580; }
.hint { color: var(--text-muted); font-size: var(--text-small); }
.input, .select {
  width: 100%; min-height: var(--control-height); padding: 0.375rem var(--space-3); border: 1px solid var(--line-strong);
  border-radius: var(--radius); background: var(--surface); color: var(--text);
}
textarea.input { resize: vertical; font: inherit; }
.input:focus-visible, .select:focus-visible { outline-offset: 0; border-radius: var(--radius); border-color: var(--accent); }
.input[aria-invalid="true"] { border-color: var(--danger); }
.input:disabled { background: var(--surface-sunken); color: var(--text-muted); border-color: var(--line); }
.input::placeholder { color: var(--text-muted); opacity: 1; }
.field-error { display: flex; gap: var(--space-2); color: var(--danger); font-size: var(--text-small); font-weight: 550; }
.field-error svg { margin-top: 0.15rem; }
.choices { display: grid; gap: var(--space-2); margin-top: var(--space-2); }
.choice {
  display: grid; grid-template-columns: auto 1fr auto; align-items: center; gap: var(--space-3); padding: 0.5625rem var(--space-3);
  border: 1px solid var(--line); border-radius: var(--radius); cursor: pointer;
}
.choice:hover { border-color: var(--line-strong); }
.choice:has(:checked) { border-color: var(--accent); background: var(--accent-soft); }
.choice:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 2px; }
.choice input { width: 1rem; height: 1rem; margin: 0; accent-color: var(--accent-fill); }
.choice input:focus-visible { outline: none; }
.choice-detail { color: var(--text-muted); font-size: var(--text-small); text-align: right; }
.custom-expiry { display: grid; gap: var(--space-1); padding: var(--space-1) 0 var(--space-1) 2.5rem; max-width: 24rem; }
.expiry:not(:has(input[value="custom"]:checked)) .custom-expiry { display: none; }
.check { display: flex; gap: var(--space-3); align-items: flex-start; cursor: pointer; }
.check input { width: 1rem; height: 1rem; margin: 0.2rem 0 0; accent-color: var(--accent-fill); flex: none; }
.segments {
  display: inline-flex; flex-wrap: wrap; gap: 2px; padding: 3px; border-radius: calc(var(--radius) + 2px); background: var(--surface-sunken);
}
.segments a {
  padding: 0.25rem var(--space-3); border-radius: 0.4375rem; color: var(--text-muted); font-size: var(--text-small); font-weight: 550;
  text-decoration: none; white-space: nowrap;
}
.segments a:hover { color: var(--text); }
.segments a[aria-current] { background: var(--surface-chosen); color: var(--text); box-shadow: 0 1px 2px var(--shadow-color), 0 0 0 1px var(--line); }
.notice {
  display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: var(--space-1) var(--space-3); padding: var(--space-3) var(--space-4);
  border: 1px solid var(--neutral-line); border-radius: var(--radius-large); background: var(--neutral-soft);
}
.notice > svg { margin-top: 0.16rem; color: var(--neutral); }
.notice > div { display: grid; gap: var(--space-1); }
.notice a { color: inherit; font-weight: 550; }
.notice-success { background: var(--success-soft); border-color: var(--success-line); }
.notice-success > svg { color: var(--success); }
.notice-warning { background: var(--warning-soft); border-color: var(--warning-line); }
.notice-warning > svg { color: var(--warning); }
.notice-danger { background: var(--danger-soft); border-color: var(--danger-line); }
.notice-danger > svg { color: var(--danger); }
.key-row { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: var(--space-2); }
.key-value { font-family: var(--mono); font-size: 0.78125rem; letter-spacing: -0.01em; background: var(--surface-sunken); }
.copy-status { min-height: 1.3rem; color: var(--success); font-size: var(--text-small); font-weight: 550; }
.snippet {
  margin: 0; padding: var(--space-3) var(--space-4); border-radius: var(--radius); background: var(--surface-sunken);
  font: var(--text-small)/1.6 var(--mono); overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere;
}
dialog {
  width: min(30rem, calc(100vw - 2rem)); padding: 0; border: 1px solid var(--line); border-radius: var(--radius-large);
  background: var(--surface-raised); color: var(--text); box-shadow: 0 20px 48px var(--shadow-color), 0 4px 12px var(--shadow-color);
}
dialog::backdrop { background: var(--shade); }
.dialog-body { display: grid; gap: var(--space-3); padding: var(--space-5); }
.dialog-actions {
  display: flex; flex-wrap: wrap; justify-content: flex-end; gap: var(--space-2); padding: var(--space-4) var(--space-5);
  border-top: 1px solid var(--line);
}
.dialog-actions.spread { justify-content: space-between; align-items: center; }
/* Where the system sets the colors, a background marks nothing. */
@media (forced-colors: active) {
  .menu a[aria-current], .segments a[aria-current], .page-number[aria-current] { outline: 2px solid currentcolor; outline-offset: -2px; }
}
@media (prefers-reduced-motion: no-preference) {
  dialog[open] { animation: rise 140ms ease-out; }
  @keyframes rise { from { opacity: 0; transform: translateY(6px); } }
}
@media (max-width: 40rem) {
  .input, .select { font-size: 1rem; }
  .custom-expiry { padding-left: 0; max-width: none; }
  .key-row { grid-template-columns: minmax(0, 1fr); }
  .card > .dialog-actions, .card fieldset > .dialog-actions { padding: var(--space-4); }
  .dialog-actions > .button, .dialog-actions > form { flex: 1 1 auto; }
}
`;
