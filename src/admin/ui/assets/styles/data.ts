/** What is read: tables, which become cards on a phone, states, times, definition lists, empty states. */
export const dataStyles = /* css */ `
.toolbar { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-3); }
.search { flex: 1 1 16rem; max-width: 24rem; margin-left: auto; }
.search form { display: flex; flex-wrap: wrap; gap: var(--space-2); }
.search-field { position: relative; flex: 1 1 10rem; }
.search-field svg { position: absolute; left: 0.625rem; top: 50%; translate: 0 -50%; color: var(--text-muted); pointer-events: none; }
.search-field .input { padding-left: 2.125rem; }
.sort-select { display: none; }
.filters { flex: 1 1 100%; }
.filters form { display: flex; flex-wrap: wrap; align-items: flex-end; gap: var(--space-2); }
.filter { display: grid; flex: 1 1 8rem; gap: 2px; color: var(--text-muted); }
.table-frame { overflow-x: auto; }
.table { width: 100%; border-collapse: collapse; text-align: left; }
.table th {
  padding: var(--space-3); border-bottom: 1px solid var(--line); color: var(--text-muted); font-size: var(--text-small); font-weight: 580;
  white-space: nowrap;
}
.table th a { display: inline-flex; align-items: center; gap: var(--space-1); color: inherit; text-decoration: none; }
.table th a:hover { color: var(--text); }
.table th a svg { opacity: 0.45; }
.table th[aria-sort] a { color: var(--text); }
.table th[aria-sort] a svg { opacity: 1; }
.table td { padding: 0.625rem var(--space-3); border-bottom: 1px solid var(--line); vertical-align: top; }
.table tr > :first-child { padding-left: var(--space-5); }
.table tr > :last-child { padding-right: var(--space-5); }
.table tbody tr:last-child td { border-bottom: 0; }
.table tbody tr:hover { background: var(--surface-hover); }
.table .action { text-align: right; white-space: nowrap; }
.key-name { color: var(--text); font-weight: 580; text-decoration: none; }
.ended td, .ended .key-name { color: var(--text-muted); }
.ended .key-name { font-weight: 500; }
a.key-name:hover { color: var(--accent); text-decoration: underline; }
.second-line { display: block; color: var(--text-muted); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.key-id { font-family: var(--mono); white-space: nowrap; }
.time, .time .second-line { display: block; white-space: nowrap; }
.names { min-width: 10.5rem; }
.states { max-width: 11rem; }
.warning-line { display: flex; gap: var(--space-1); align-items: flex-start; margin-top: 2px; color: var(--warning); font-size: 0.75rem; font-weight: 550; }
.warning-line svg { margin-top: 0.125rem; }
.status {
  display: inline-flex; align-items: center; gap: 0.375rem; padding: 0.0625rem 0.5rem 0.0625rem 0.4375rem; border: 1px solid; border-radius: 99rem;
  font-size: 0.75rem; font-weight: 600; white-space: nowrap;
}
.status-active { color: var(--success); background: var(--success-soft); border-color: var(--success-line); }
.status-expired { color: var(--neutral); background: var(--neutral-soft); border-color: var(--neutral-line); }
.status-revoked { color: var(--danger); border-color: var(--danger-line); }
.tag { display: inline-block; padding: 0 0.4375rem; border-radius: 0.3125rem; background: var(--neutral-soft); color: var(--neutral); font-size: 0.75rem; font-weight: 600; }
.tag-create { background: var(--success-soft); color: var(--success); }
.tag-update { background: var(--accent-soft); color: var(--accent); }
.tag-revoke { background: var(--danger-soft); color: var(--danger); }
.pager { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--space-3); padding: var(--space-3) var(--space-5); border-top: 1px solid var(--line); color: var(--text-muted); font-size: var(--text-small); }
.page-number { min-width: 1.875rem; padding: 0.25rem var(--space-2); border-radius: var(--radius); color: var(--text-muted); text-align: center; text-decoration: none; font-variant-numeric: tabular-nums; }
.page-number:hover { background: var(--surface-sunken); color: var(--text); }
.page-number[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.empty { display: grid; justify-items: center; gap: var(--space-2); padding: var(--space-7) var(--space-5); text-align: center; }
.empty > svg { width: 2.75rem; height: 2.75rem; padding: 0.625rem; border-radius: 50%; background: var(--surface-sunken); color: var(--text-muted); }
.empty p { max-width: 26rem; color: var(--text-muted); }
.empty .button { margin-top: var(--space-3); }
.facts { display: grid; grid-template-columns: minmax(8rem, 11rem) minmax(0, 1fr); }
.facts > div { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; padding: 0.6875rem var(--space-5); border-bottom: 1px solid var(--line); }
.facts > div:last-child { border-bottom: 0; }
.free-text { white-space: pre-wrap; overflow-wrap: anywhere; }
.facts dt { color: var(--text-muted); }
.audits td:first-child { min-width: 9rem; }
.audits td:last-child { width: 40%; }
.changes { display: grid; gap: var(--space-1); }
.changes li { display: grid; grid-template-columns: 5.25rem minmax(0, 1fr); gap: 0 var(--space-2); }
.changes .field-name { color: var(--text-muted); }
.changes .values { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 var(--space-2); }
.changes del { color: var(--text-muted); text-decoration-thickness: 1px; }
.changes ins { text-decoration: none; font-weight: 550; }
.changes .new-value { display: inline-flex; gap: var(--space-2); }
.changes svg { align-self: flex-start; margin-top: 0.25rem; color: var(--text-muted); }
@container content (max-width: 50rem) {
  .search { max-width: none; flex-basis: 100%; margin-left: 0; }
}
@container content (max-width: 57rem) {
  .table-frame { overflow: visible; }
  .sort-select { display: block; flex: 1; }
  .search-field:has(+ .sort-select) { flex-basis: 100%; }
  .table.cards, .cards tbody, .cards tr, .cards td { display: block; }
  .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards tr { padding: var(--space-4); border-bottom: 1px solid var(--line); }
  .cards tbody tr:last-child { border-bottom: 0; }
  .cards tbody tr:hover { background: none; }
  .cards td, .cards tr > :first-child, .cards tr > :last-child { border: 0; padding: 0.1875rem 0; }
  .cards td[data-label] { display: grid; grid-template-columns: 8.25rem minmax(0, 1fr); gap: var(--space-3); }
  .cards td[data-label]::before { content: attr(data-label); color: var(--text-muted); }
  .cards td:first-child { padding-bottom: var(--space-2); font-size: var(--text-large); }
  .cards tr > .action:last-child { padding-top: var(--space-3); text-align: left; }
  .audits td:last-child { width: auto; }
  .changes li { grid-template-columns: minmax(0, 1fr); }
  .cards .action .button { width: 100%; max-width: 24rem; }
  .states { max-width: none; }
  .cards .action-none { display: none; }
  .facts { display: block; }
  .facts > div { display: block; padding: var(--space-3) var(--space-4); }
  .pager { padding-inline: var(--space-4); }
}
`;
