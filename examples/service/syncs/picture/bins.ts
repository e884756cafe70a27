/** Each is a multiple of those before it, so that what is summed up once can be summed up further. */
const binSeconds = [1, 2, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21_600, 86_400];
/** More bars than this cannot be distinguished. */
const maxBars = 180;

/** How many seconds go into one bar of a picture of this length. */
export function binSecondsFor(durationMs: number): number {
  const seconds = durationMs / 1000;
  return binSeconds.find((bin) => seconds / bin <= maxBars) ?? (binSeconds.at(-1) as number);
}
