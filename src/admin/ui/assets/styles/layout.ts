/** The frame of every page: top bar, menu, content, headings. */
export const layoutStyles = /* css */ `
.top-bar {
  display: flex; align-items: center; gap: var(--space-4); min-height: 3.5rem;
  padding: var(--space-2) max(var(--space-5), calc((100% - var(--page-width)) / 2 + var(--space-5)));
  background: var(--surface); border-bottom: 1px solid var(--line);
}
.brand {
  display: inline-flex; align-items: center; gap: var(--space-2); margin-right: auto;
  color: var(--text); font-weight: 640; font-size: 0.9375rem; letter-spacing: -0.01em; text-decoration: none; white-space: nowrap;
}
.logo { max-width: 12rem; object-fit: contain; }
.brand svg { color: var(--accent); }
.account { display: flex; align-items: center; gap: var(--space-3); min-width: 0; }
.account-name { display: flex; align-items: center; gap: var(--space-2); min-width: 0; }
.account-name > span:last-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 16rem; }
.avatar {
  display: grid; place-items: center; width: 1.75rem; height: 1.75rem; border-radius: 50%; flex: none;
  background: var(--accent-soft); color: var(--accent); font-size: 0.75rem; font-weight: 640; text-transform: uppercase;
}
.shell {
  display: grid; grid-template-columns: 13.5rem minmax(0, 1fr); gap: var(--space-6);
  max-width: var(--page-width); margin: 0 auto; padding: var(--space-5);
}
.menu-heading {
  padding: 0 var(--space-3) var(--space-2); color: var(--text-muted); font-size: 0.75rem; font-weight: 600; letter-spacing: 0.02em;
}
.menu ul { display: grid; gap: 2px; }
.menu a {
  display: flex; align-items: center; gap: var(--space-2); padding: 0.4375rem var(--space-3); border-radius: var(--radius);
  color: var(--text); text-decoration: none; font-weight: 500;
}
.menu a svg { color: var(--text-muted); }
.menu a:hover { background: var(--surface-sunken); }
.menu a[aria-current] { background: var(--accent-soft); color: var(--accent); }
.menu a[aria-current] svg { color: inherit; }
.content { container: content / inline-size; display: grid; gap: var(--space-5); align-content: start; min-width: 0; }
.page-header { display: flex; flex-wrap: wrap; align-items: flex-start; gap: var(--space-3) var(--space-4); }
.page-header > div:first-child { flex: 1 1 18rem; min-width: 0; }
.page-header p { color: var(--text-muted); max-width: 44rem; margin-top: var(--space-1); }
.page-actions { display: flex; flex-wrap: wrap; gap: var(--space-2); }
.back-link {
  display: inline-flex; align-items: center; gap: var(--space-1); margin-bottom: var(--space-2); color: var(--text-muted);
  font-size: var(--text-small); text-decoration: none;
}
.back-link:hover { color: var(--text); text-decoration: underline; }
.title-line { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2) var(--space-3); }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-large); }
.card-body { padding: var(--space-5); }
.card-header {
  display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: var(--space-2) var(--space-4);
  padding: var(--space-4) var(--space-5); border-bottom: 1px solid var(--line);
}
.narrow { max-width: var(--form-width); width: 100%; }
.stack { display: grid; gap: var(--space-4); }
.alone { display: grid; min-height: 100vh; place-items: center; padding: var(--space-5) var(--space-4) 12vh; }
.alone > main { display: grid; gap: var(--space-5); width: 100%; max-width: 23.5rem; }
.alone-brand { display: grid; justify-items: center; gap: var(--space-3); text-align: center; }
.alone-brand svg { color: var(--accent); }
@media (max-width: 76rem) {
  .top-bar { padding: var(--space-2) var(--space-4); }
  .shell { display: block; padding: 0 0 var(--space-6); }
  .menu { background: var(--surface); border-bottom: 1px solid var(--line); overflow-x: auto; }
  .menu-heading { display: none; }
  .menu ul { display: flex; gap: 0; padding: 0 var(--space-2); }
  .menu a { border-radius: 0; padding: var(--space-3); white-space: nowrap; border-bottom: 2px solid transparent; }
  .menu a:hover { background: none; border-bottom-color: var(--line-strong); }
  .menu a[aria-current] { background: none; border-bottom-color: currentcolor; }
  .menu :focus-visible { outline-offset: -3px; }
  .content { padding: var(--space-5) var(--space-4) 0; }
}
@media (max-width: 40rem) {
  /* An entry beyond the edge would not be found. */
  .menu ul { flex-wrap: wrap; }
  .account-name > span:last-child { max-width: 8rem; }
  .page-actions { width: 100%; }
  .page-actions > * { flex: 1; }
  .card-body, .card-header { padding-inline: var(--space-4); }
}
`;
