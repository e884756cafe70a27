import { generateKey } from '../../src/api-keys/keys/key-format.js';
import { seededRandom } from '../../src/internal/numbers.js';
import { type Arm, measure, printFigures } from '../harness.js';
import type { BetterAuth } from './better-auth.js';
import type { Setting } from './main.js';

const sampleSize = 2000;
const rounds = 10;

/** `authenticate` against better-auth's `verifyApiKey`, over random keys of all. */
export async function benchAuthenticate(setting: Setting): Promise<void> {
  const { apiKeys, databaseKind } = setting;
  const betterAuth = await setting.peer();
  await checkThatKeysAuthenticate(setting, betterAuth);
  const next = randomKeys(setting, 1);
  const nextOfPeer = randomKeys(setting, 2);
  const sqlite = databaseKind === 'sqlite';
  const accept = async () => {
    if ((await apiKeys.authenticate({ 'x-api-key': next() })) === undefined) throw new Error('A good key was refused.');
  };
  const acceptByPeer = async () => {
    const { valid } = await betterAuth.api.verifyApiKey({ body: { key: nextOfPeer() } });
    if (!valid) throw new Error('better-auth refused a good key.');
  };
  const full = () => betterAuth.setSynchronous('full');
  const normal = () => betterAuth.setSynchronous('normal');
  const peerOperations = sqlite ? 500 : 300;
  const good: Arm[] = [
    { name: 'concordat', operationsPerRound: sqlite ? 20_000 : 2000, run: accept },
    { name: 'better-auth', operationsPerRound: peerOperations, run: acceptByPeer, ...(sqlite && { prepare: full }) },
    ...(sqlite
      ? [
          {
            name: 'better-auth, synchronous NORMAL',
            operationsPerRound: peerOperations,
            run: acceptByPeer,
            prepare: normal,
          },
        ]
      : []),
  ];
  printFigures('authenticate: a good key, one at a time', await measure(good, rounds), { against: 'concordat' });
  if (sqlite) full();
  else {
    const atOnce = good.map((arm) => ({ ...arm, lanes: 10, operationsPerRound: arm.operationsPerRound * 3 }));
    printFigures('authenticate: a good key, ten at a time', await measure(atOnce, rounds), { against: 'concordat' });
  }
  const unknown = Array.from({ length: 5000 }, () => generateKey().key);
  const nextUnknown = cycle(unknown);
  const refused: Arm[] = [
    {
      name: 'concordat',
      operationsPerRound: sqlite ? 5000 : 1000,
      async run() {
        if ((await apiKeys.authenticate({ 'x-api-key': nextUnknown() })) !== undefined) throw new Error('Accepted.');
      },
    },
    {
      name: 'better-auth',
      operationsPerRound: sqlite ? 2000 : 1000,
      async run() {
        if ((await betterAuth.api.verifyApiKey({ body: { key: nextUnknown() } })).valid) throw new Error('Accepted.');
      },
    },
  ];
  printFigures('authenticate: a well-formed key that nobody has', await measure(refused, rounds), {
    against: 'concordat',
  });
}

/** Keys that were inserted past the package are keys; revoked and expired ones are refused. */
async function checkThatKeysAuthenticate({ apiKeys, keys, activeKeys }: Setting, betterAuth: BetterAuth) {
  const random = seededRandom(3);
  const nowMs = Date.now();
  let refused = 0;
  for (let index = 0; index < sampleSize; index++) {
    const filled = keys[Math.floor(random() * keys.length)]!;
    const shouldPass = filled.revokedOnMs === null && filled.expiresOnMs > nowMs;
    const found = await apiKeys.authenticate({ 'x-api-key': filled.key });
    if ((found?.apiKeyId === filled.id && found.userId === filled.owner.id) !== shouldPass) {
      throw new Error(`The filled key ${filled.id} should ${shouldPass ? '' : 'not '}authenticate.`);
    }
    if (!shouldPass) refused += 1;
  }
  const ofPeer = await betterAuth.api.verifyApiKey({ body: { key: activeKeys[0]!.key } });
  if (!ofPeer.valid) throw new Error('better-auth refuses a filled key.');
  console.log(
    `${sampleSize} random keys: ${sampleSize - refused} authenticate, ${refused} expired or revoked ones do not`,
  );
}

function randomKeys({ activeKeys }: Setting, seed: number): () => string {
  const random = seededRandom(seed);
  return () => activeKeys[Math.floor(random() * activeKeys.length)]!.key;
}

function cycle(values: readonly string[]): () => string {
  let index = 0;
  return () => values[index++ % values.length]!;
}
