/** What the node server's Response was made from: status, body and headers. */
export type KeptParts = readonly [status: number, body: unknown, headers: unknown];

/**
 * The node server puts a Response of its own in the global's place. As long as nobody asks it for its headers or its body
 * it keeps what it was made from, and writes that out without a Headers object or a stream in between: asking such a
 * response costs more than all the rest of an answer. `undefined` for every other Response.
 */
export function keptParts(response: Response): KeptParts | undefined {
  const record = response as unknown as Record<symbol, unknown>;
  if (keptBy !== undefined && isParts(record[keptBy])) return record[keptBy] as KeptParts;
  for (const symbol of Object.getOwnPropertySymbols(response)) {
    if (!isParts(record[symbol])) continue;
    keptBy = symbol;
    return record[symbol] as KeptParts;
  }
  return undefined;
}

/** The node server's symbol, which it does not export. */
let keptBy: symbol | undefined;

function isParts(value: unknown): boolean {
  return Array.isArray(value) && value.length === 3 && typeof value[0] === 'number';
}
