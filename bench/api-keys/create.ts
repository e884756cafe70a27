import { type Arm, measure, printFigures } from '../harness.js';
import type { Setting } from './main.js';
import { owners } from './rows.js';

const rounds = 10;
const operationsPerRound = 300;
const ninetyDaysS = 90 * 86_400;

/** Creations that are on the disk when they are answered, against better-auth's. */
export async function benchCreate({ apiKeys, peer, databaseKind }: Setting): Promise<void> {
  const betterAuth = await peer();
  const expiresOn = new Date(Date.now() + ninetyDaysS * 1000);
  let made = 0;
  if (databaseKind === 'sqlite') betterAuth.setSynchronous('full');
  const arms: Arm[] = [
    {
      name: 'concordat',
      operationsPerRound,
      async run() {
        const { id: userId, username } = owners[made % owners.length]!;
        await apiKeys.create({ userId, username }, { name: `Benchmark ${made++}`, expiresOn });
      },
    },
    {
      name: 'better-auth',
      operationsPerRound,
      async run() {
        const { id: userId } = owners[made % owners.length]!;
        await betterAuth.api.createApiKey({ body: { name: `Benchmark ${made++}`, userId, expiresIn: ninetyDaysS } });
      },
    },
  ];
  printFigures('create, durable, one at a time', await measure(arms, rounds), { against: 'concordat' });
  // SQLite has one writer: more at once only wait.
  if (databaseKind === 'sqlite') return;
  const atOnce = arms.map((arm) => ({ ...arm, lanes: 10, operationsPerRound: operationsPerRound * 2 }));
  printFigures('create, durable, ten at a time', await measure(atOnce, rounds), { against: 'concordat' });
}
