/** The page's own styles, in the administration's colors and measures. */
export const stylesheet = /* css */ `
.status-running { color: var(--accent); background: var(--accent-soft); border-color: var(--accent); }
.status-warned { color: var(--warning); background: var(--warning-soft); border-color: var(--warning-line); }
.plain-link { color: inherit; text-decoration: none; }
.plain-link:hover { text-decoration: underline; }
.nowrap { white-space: nowrap; }
.bad { color: var(--danger); }
.none { padding: var(--space-5); }
.page-actions form, .page-actions > div { display: contents; }
.content > [data-live]:empty { display: none; }

.connector { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--space-3); padding: var(--space-4) var(--space-5); }
.ends { display: flex; flex-wrap: wrap; align-items: center; gap: 0 var(--space-2); margin-top: 2px; font-size: var(--text-small); }
.next-run { text-align: right; font-variant-numeric: tabular-nums; font-weight: 550; }
.next-run .second-line { font-weight: 400; }

.picture { display: grid; gap: var(--space-4); padding: var(--space-5); }
.progress { display: grid; gap: var(--space-2); }
.progress-text { font-size: var(--text-large); font-variant-numeric: tabular-nums; }
progress { appearance: none; width: 100%; height: 0.5rem; border: 0; border-radius: 99rem; background: var(--surface-sunken); overflow: hidden; }
progress::-webkit-progress-bar { background: var(--surface-sunken); }
progress::-webkit-progress-value { background: var(--accent-fill); border-radius: 99rem; }
progress::-moz-progress-bar { background: var(--accent-fill); border-radius: 99rem; }
progress:indeterminate { background: repeating-linear-gradient(-45deg, var(--surface-sunken) 0 6px, var(--neutral-line) 6px 12px); }
progress:indeterminate::-webkit-progress-bar { background: none; }
progress:indeterminate::-moz-progress-bar { background: none; }

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(6.5rem, 1fr)); gap: 1px; border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; }
.tiles > div { display: grid; align-content: space-between; gap: 2px; padding: var(--space-2) var(--space-3); box-shadow: 0 0 0 1px var(--line); }
.tiles dt { color: var(--text-muted); font-size: 0.75rem; }
.tiles dd { font-size: 1.125rem; font-weight: 620; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; white-space: nowrap; }

.lanes-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--space-2); min-height: 2rem; margin-bottom: calc(-1 * var(--space-2)); }
.lanes-head h3 { margin: 0; font-size: var(--text-small); font-weight: 580; color: var(--text-muted); }
.lane { display: grid; gap: 0.375rem; min-width: 0; }
.lane-head { display: flex; flex-wrap: wrap; align-items: center; gap: 0 var(--space-3); }
.lane h4 { margin: 0; font-size: var(--text-body); font-weight: 620; }
.lane-repository { font-size: var(--text-small); }
.lane-state {
  padding: 0.0625rem 0.5625rem; border: 1px solid var(--neutral-line); border-radius: 99rem; background: var(--neutral-soft);
  color: var(--neutral); font-size: 0.75rem; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap;
}
.lane-active { color: var(--success); background: var(--success-soft); border-color: var(--success-line); }
.lane-working { color: var(--accent); background: var(--accent-soft); border-color: var(--accent); }
.lane-paused { color: var(--warning); background: var(--warning-soft); border-color: var(--warning-line); }
.lane-reason { flex: 1; color: var(--warning); font-size: var(--text-small); text-align: right; font-variant-numeric: tabular-nums; }
.lane-drawing { min-width: 0; }
.lane-picture { width: 100%; height: auto; }
.lane-facts { display: flex; flex-wrap: wrap; gap: 0 1.125rem; color: var(--text-muted); font-size: 0.75rem; font-variant-numeric: tabular-nums; }

.lane-picture text { font: 500 11px/1 var(--sans); fill: var(--text-muted); font-variant-numeric: tabular-nums; }
.lane-picture .scale { text-anchor: end; }
.lane-picture .time-label { text-anchor: middle; }
.grid-line { stroke: var(--line); fill: none; }
.base-line { stroke: var(--line-strong); fill: none; }
.bar { fill: var(--accent-fill); }
.bar-refused { fill: var(--danger); }
.pause { fill: var(--warning-soft); }
.hatch { stroke: var(--warning-line); stroke-width: 2; fill: none; }
.pause-ahead { fill: var(--warning-soft); stroke: var(--warning-line); stroke-dasharray: 4 3; }
.pause-edge { stroke: var(--warning); fill: none; }
.lane-picture .pause-label { text-anchor: middle; fill: var(--warning); font-weight: 620; paint-order: stroke; stroke: var(--warning-soft); stroke-width: 5px; stroke-linejoin: round; }
.login { fill: var(--surface); stroke: var(--success); stroke-width: 2; }
.login-line { stroke: var(--success); stroke-dasharray: 2 3; fill: none; }
.quota { stroke: var(--text-muted); stroke-dasharray: 7 4; fill: none; }
.lane-picture .quota-label { text-anchor: end; paint-order: stroke; stroke: var(--surface); stroke-width: 4px; }
.now { stroke: var(--text); fill: none; }
.now-dot { fill: var(--text); }

.legend { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); color: var(--text-muted); font-size: 0.75rem; }
.legend li { display: inline-flex; align-items: center; gap: 0.375rem; }
.in-words { border-top: 1px solid var(--line); padding-top: var(--space-3); }
.in-words summary { width: fit-content; cursor: pointer; font-weight: 580; }
.timeline-frame { max-height: 22rem; margin-top: var(--space-3); overflow: auto; border: 1px solid var(--line); border-radius: var(--radius); }
.timeline { font-size: var(--text-small); font-variant-numeric: tabular-nums; }
.timeline td { padding-block: 0.3125rem; }
.timeline td:not(:last-child) { white-space: nowrap; }
.timeline tr > :first-child { padding-left: var(--space-3); }
.connection-lost { color: var(--danger); font-weight: 550; }
.no-script { grid-template-columns: minmax(0, 1fr) auto; align-items: center; }
.no-script .button-row { display: flex; }

.runs .figure { text-align: right; font-variant-numeric: tabular-nums; }
@container content (max-width: 57rem) {
  .runs .figure { text-align: left; }
  .runs .status { justify-self: start; }
}
@container content (max-width: 40rem) {
  .picture { padding: var(--space-4); }
  .connector { padding: var(--space-4); }
  .next-run { text-align: left; }
  .tiles { grid-template-columns: repeat(auto-fit, minmax(5.75rem, 1fr)); }
  .tiles > div { padding-inline: var(--space-2); }
  .tiles dd { font-size: 1rem; }
  .timeline :is(th, td), .timeline tr > :is(:first-child, :last-child) { padding-inline: var(--space-2); }
  .lane-repository { flex: 1; }
  .lane-reason { order: 1; flex-basis: 100%; min-height: 1.25rem; margin-top: 2px; text-align: left; }
  .timeline th:nth-child(2), .timeline td:nth-child(2) { display: none; }
  .no-script { grid-template-columns: minmax(0, 1fr); }
}
@media (prefers-reduced-motion: no-preference) {
  .now-dot { animation: pulse 2s ease-in-out infinite; }
  @keyframes pulse { 50% { opacity: 0.35; } }
}
`;
