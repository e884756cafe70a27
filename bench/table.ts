/** Three digits say all that such a measurement knows. */
export function round(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
