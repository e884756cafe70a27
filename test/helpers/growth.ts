/** Times below this are noise: a reader that needs less for the larger input is fast, whatever the ratio. */
const noiseMs = 10;

/** Four times the input costs four times as much where time is linear, and sixteen times where it is quadratic. */
const most = 9;

/**
 * How much longer `read` takes for four times the input: the best of several runs of each, and more runs for as long as the
 * result looks bad, so that a busy machine cannot make a linear reader look quadratic.
 *
 * @param make the input of a given length.
 */
async function growthOf<Input>(
  read: (input: Input) => unknown,
  make: (length: number) => Input,
  { length, noiseMs }: { length: number; noiseMs: number },
): Promise<number> {
  const [small, large] = [make(length), make(4 * length)];
  let [smallMs, largeMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let growth = Number.POSITIVE_INFINITY;
  await read(small); // V8 compiles a pattern when it is used again
  for (let run = 0; run < 6 && growth > most; run++) {
    for (let times = 0; times < 5; times++) smallMs = Math.min(smallMs, await timeOf(read, small));
    largeMs = Math.min(largeMs, await timeOf(read, large));
    growth = largeMs / Math.max(smallMs, noiseMs);
  }
  return growth;
}

async function timeOf<Input>(read: (input: Input) => unknown, input: Input): Promise<number> {
  // The processor's time, not the clock's: what else runs on this machine does not count.
  const before = process.cpuUsage();
  await read(input);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** What text is made of that patterns have stumbled over. */
const pumps = [
  ...[' ', '\t', '\n', '1', 'a', '-', '.', ',', ', ', ';', ':', '/', '=', '%', '"', '\\', '[', '{', '\u00a0'],
  ...['Sun, ', 'Sun, 1', ',apikey', 'ApiKey ', 'Basic ', 'Retry after 1', 'remaining=0;', '%2e', '{}', '[],', '\n at '],
];

/** Texts of a given length, each a repetition between a start and an end. */
export const shapes = [
  ...['', '1'].flatMap((start) => pumps.map((pump) => shape(start, pump))),
  ...['Basic ', 'ApiKey ', 'Retry after 1'].flatMap((start) => [' ', 'a', '1', ','].map((pump) => shape(start, pump))),
];

function shape(start: string, pump: string) {
  return {
    name: JSON.stringify(`${start}${pump}…!`),
    of: (length: number) => `${start}${pump.repeat(Math.ceil(length / pump.length))}!1`,
  };
}

/**
 * The first shape of text for which a reader needs more than linear time, with how much longer four times as much took. That
 * must be too long twice, from a quarter of the length and from the length: where a text no longer fits a cache of the
 * processor, the time of a linear reader takes one step of its own.
 */
export async function quadraticShape(
  read: (text: string) => unknown,
  length = 6_000,
  of: typeof shapes = shapes,
): Promise<string | undefined> {
  for (const shape of of) {
    const growth = await growthOf(read, shape.of, { length, noiseMs });
    if (growth <= most) continue;
    const before = await growthOf(read, shape.of, { length: length / 4, noiseMs: noiseMs / 16 });
    if (before > most) return `${shape.name}: ${growth.toFixed(1)} times`;
  }
  return undefined;
}

/** Readers that refuse what they get do what they should. */
export function quietly(read: (text: string) => unknown): (text: string) => Promise<void> {
  return async (text) => {
    try {
      await read(text);
    } catch {
      // only the time is of interest
    }
  };
}

/** Text as a header can carry it: the no-break space is one byte there, and patterns take it for a space. */
export const headerText = (text: string) => text.replaceAll(/[^\t -~\u00a0]/g, '-');

/**
 * What is found of a reader that needs quadratic time: the control of all that ask for one. What is measured leans to "linear" where
 * a machine is busy, so that no linear reader is accused: then it is asked again.
 */
export async function controlShape(): Promise<string | undefined> {
  const trimmed = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, '');
  const blanks = shapes.filter(({ name }) => name.startsWith('"1 …'));
  let found: string | undefined;
  for (let tries = 0; tries < 10 && found === undefined; tries++) found = await quadraticShape(trimmed, 8_000, blanks);
  return found;
}
