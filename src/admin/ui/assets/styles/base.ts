/** Elements as such: text, links, focus, what is only for screen readers. */
export const baseStyles = /* css */ `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; background: var(--canvas); color: var(--text);
  font: 400 var(--text-body)/1.5 var(--sans); -webkit-font-smoothing: antialiased; overflow-wrap: anywhere;
}
h1, h2, h3, p, ul, ol, dl, dd, figure, fieldset { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: var(--text-title); line-height: 1.3; font-weight: 620; letter-spacing: -0.012em; }
h2 { font-size: var(--text-large); line-height: 1.4; font-weight: 620; letter-spacing: -0.005em; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
a:hover { text-decoration-thickness: 2px; }
strong { font-weight: 600; }
code, .mono { font-family: var(--mono); font-size: 0.92em; }
svg { display: block; flex: none; }
button, input, select, textarea { font: inherit; color: inherit; }
fieldset { border: 0; min-width: 0; }
legend { padding: 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 0.25rem; }
main:focus, [tabindex="-1"]:focus { outline: none; }
[hidden] { display: none !important; }
.muted { color: var(--text-muted); }
.small { font-size: var(--text-small); }
.visually-hidden {
  position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; border: 0;
  overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.skip-link {
  position: absolute; left: var(--space-4); top: -4rem; z-index: 10; padding: var(--space-2) var(--space-4);
  border-radius: var(--radius); background: var(--accent-fill); color: var(--on-accent-fill); text-decoration: none;
}
.skip-link:focus { top: var(--space-3); }
@media (prefers-reduced-motion: no-preference) {
  a, button, .button, input, select, .choice { transition: background-color 120ms, border-color 120ms, color 120ms, box-shadow 120ms; }
}
`;
