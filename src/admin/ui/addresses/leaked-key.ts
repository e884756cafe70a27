/** The value of a key, with whatever prefix and whatever stands around it. */
const valuePattern = /(?:^|[^0-9A-Za-z])([a-z][a-z0-9]{1,15}_([0-9A-Za-z]{12}))_[0-9A-Za-z]{49}(?![0-9A-Za-z])/;

/** The id of the key whose value is in a search, such as one that has leaked. */
export function idOfValue(search: string): string | undefined {
  return valuePattern.exec(search)?.[2];
}

/** A search without the secret of a key, which must be in no address, on no page and in no log: `ck_4fK0aZ81bQxT…`. */
export function withoutSecret(search: string): string {
  const start = valuePattern.exec(search)?.[1];
  return start === undefined ? search : `${start}…`;
}
