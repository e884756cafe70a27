/** Two keys' bows that hold each other: the mark of the administration, as the browser's tab shows it. */
export const brandIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#4a66dd" stroke-width="2.5"><circle cx="9" cy="12" r="5.75"/><circle cx="15" cy="12" r="5.75"/></svg>`;
