/** On paper: what is read, black on white, whatever the theme and the accent. Nothing that is clicked. */
export const printStyles = /* css */ `
@media print {
  :root { color-scheme: light; }
  *, *::before, *::after { color: #000 !important; background: none !important; box-shadow: none !important; }
  nav, search, dialog, button, .button, select, .toolbar, .skip-link, .back-link, .page-actions, .action { display: none !important; }
  .shell { display: block; padding: 0; }
  .table-frame { overflow: visible; }
  tr, .facts > div { break-inside: avoid; }
}
`;
