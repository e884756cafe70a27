import { fork } from 'node:child_process';
import { hash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type pg from 'pg';
import { parseKey } from '../../src/api-keys/keys/key-format.js';
import { seededRandom } from '../../src/internal/numbers.js';
import { type Arm, measure, printFigures } from '../harness.js';
import type { SqliteConnection } from './databases.js';
import type { Setting } from './main.js';

const rounds = 10;

interface Row {
  readonly secret_hash: Uint8Array;
  readonly owner_id: string;
  readonly expires_on: number;
  readonly revoked_on: number | null;
}

/** `authenticate` beside the least that such a check can be: a prepared SELECT, a SHA-256, a comparison. */
export async function benchBare(setting: Setting): Promise<void> {
  const { apiKeys, activeKeys, databaseKind } = setting;
  const { close, find } = openBare(setting);
  const operationsPerRound = databaseKind === 'sqlite' ? 20_000 : 2000;
  const arm = (name: string, check: (key: string) => Promise<unknown>, seed: number): Arm => {
    const random = seededRandom(seed);
    return {
      name,
      operationsPerRound,
      async run() {
        const { key } = activeKeys[Math.floor(random() * activeKeys.length)]!;
        if ((await check(key)) === undefined) throw new Error(`${name}: a good key was refused.`);
      },
    };
  };
  const bare = async (key: string) => {
    const { id, secret } = parseKey(key)!;
    const row = await find(id);
    if (row === undefined || !timingSafeEqual(hash('sha256', secret, 'buffer'), row.secret_hash)) return undefined;
    return row.revoked_on === null && Number(row.expires_on) > Date.now() ? row.owner_id : undefined;
  };
  const arms = [
    arm('prepared SELECT and SHA-256', bare, 1),
    arm('concordat', (key) => apiKeys.authenticate({ 'x-api-key': key }), 2),
    arm(
      'concordat, with address and user agent',
      (key) => apiKeys.authenticate({ 'x-api-key': key, 'user-agent': 'bench/1' }, { address: '192.0.2.7' }),
      3,
    ),
  ];
  try {
    const figures = await measure(arms, rounds);
    printFigures('authenticate: beside a prepared SELECT and SHA-256', figures, { against: arms[0]!.name });
    const whileWriting = await besideWriter(setting.database.url, () => measure(arms, rounds));
    printFigures('the same while another process creates keys', whileWriting, { against: arms[0]!.name });
  } finally {
    await close();
  }
}

/** A connection of its own, with the settings of the package. */
function openBare({ database }: Setting): { find(id: string): Promise<Row | undefined>; close(): Promise<void> } {
  const text = 'select secret_hash, owner_id, expires_on, revoked_on from concordat_api_key where id =';
  const connection = database.connect();
  if (database.kind === 'postgres') {
    const pool = connection as pg.Pool;
    const find = async (id: string) =>
      (await pool.query<Row>({ name: 'bare', text: `${text} $1`, values: [id] })).rows[0];
    return { find, close: () => pool.end() };
  }
  const sqlite = connection as SqliteConnection;
  const statement = sqlite.prepare(`${text} ?`);
  return { find: async (id) => statement.get(id) as unknown as Row | undefined, close: async () => sqlite.close() };
}

async function besideWriter<Result>(url: string, job: () => Promise<Result>): Promise<Result> {
  const writer = fork(new URL('writer.ts', import.meta.url), [url], { execArgv: ['--no-warnings', '--import', 'tsx'] });
  await Promise.race([
    once(writer, 'message'),
    once(writer, 'exit').then(() => Promise.reject(new Error('The process that writes has ended.'))),
  ]);
  try {
    const result = await job();
    if (writer.exitCode !== null) throw new Error('The process that writes has ended.');
    return result;
  } finally {
    writer.kill('SIGKILL');
  }
}
