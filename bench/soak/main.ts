// The whole loop as real processes, in trouble for an hour: `npm run soak`, or `npm run soak -- --minutes 2`. See docs/proofs.md.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hashPassword } from 'concordat/api-keys';
import type { Reading } from '../reading.js';
import { ask, Callers, inDays } from './callers.js';
import { Disk } from './disk.js';
import { compareKeys, compareLedgers } from './ledger.js';
import { complaintOf, type Level, levelsOf, type Sample } from './levels.js';
import { openPage } from './open-page.js';
import { Part } from './part.js';
import { writeReport } from './report.js';
import { type Loop, troublesOf } from './troubles.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    /** Where table, chart and figures go: an hour's go into the docs. */
    into: { type: 'string' },
    /** A mutant, which must be found: service-1 leaks a descriptor at every kill. */
    leak: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
if (!(minutes >= 1)) throw new TypeError('`--minutes` must be a number, 1 or more.');
const into = values.into ?? (minutes >= 60 && !values.leak ? 'docs' : 'bench/dist/soak');
const durationMs = minutes * 60_000;
const betweenSamplesMs = Math.min(60_000, durationMs / 48);
/** A trouble every ten seconds, and more often in a short run. */
const betweenMs = Math.min(10_000, durationMs / 48);

const disk = new Disk();
const endSystem = new Part('end-system');
const connectors = [new Part('connector-1'), new Part('connector-2')] as const;
const services = [new Part('service-1'), new Part('service-2')] as const;
const administrations = [new Part('administration-1'), new Part('administration-2')] as const;
const parts = [endSystem, ...connectors, ...services, ...administrations];
const survivors = [connectors[0], services[0], administrations[0]];
process.once('exit', () => disk.remove());
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

async function startAll(password: string): Promise<Callers> {
  await Promise.all(parts.map(({ wire }) => wire.open()));
  await endSystem.start(disk.file('ledger.db'));
  for (const connector of connectors) await connector.start(endSystem.wire.url);
  const urls = connectors.map(({ wire }) => wire.url);
  for (const service of services) await service.start(service.name, disk.file(`${service.name}.db`), ...urls);
  const passwordHash = await hashPassword(password);
  for (const administration of administrations) await administration.start(disk.file('keys.db'), passwordHash);
  const adminUrls = administrations.map(({ wire }) => wire.url);
  const basic = { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` };
  for (let number = 1; ; number++) {
    const first = { name: `First ${number}`, expiresOn: inDays(300) };
    const { status, body } = await ask(`${adminUrls[0]}/api/v1/api-keys`, basic, 'POST', first);
    if (status === 201) return new Callers(adminUrls, body.key);
    // Refused as a duplicate: it was created, and its response came too late.
    if (status !== 400) throw new Error(`creating the first key: ${status} ${JSON.stringify(body)}`);
  }
}

async function run(): Promise<string[]> {
  const complaints: string[] = [];
  const password = randomBytes(16).toString('hex');
  const callers = await startAll(password);
  callers.start();
  const page = await openPage(administrations[0].wire.url, password);
  if (page === undefined) console.log('the page is skipped: there is no Chromium');
  if (disk.problem !== undefined) console.log(`the full disk is skipped: ${disk.problem}`);

  const loop: Loop = { endSystem, connectors, services, administrations, callers, disk };
  const troubles = troublesOf(loop);
  const startedAt = performance.now();
  const counts = new Map(troubles.map(({ name }) => [name, 0]));
  let isOver = false;
  const trouble = async () => {
    for (let turn = 0; !isOver; turn++) {
      const { name, run } = troubles[turn % troubles.length]!;
      await run();
      counts.set(name, counts.get(name)! + 1);
      if (values.leak && name.startsWith('kill')) await services[0].call('leak');
      await pause(Math.max(0, Math.min(durationMs, (turn + 1) * betweenMs) - (performance.now() - startedAt)));
    }
  };
  const samples: Sample[] = [];
  const sample = async () => {
    for (let dueMs = betweenSamplesMs; dueMs <= durationMs && !isOver; dueMs += betweenSamplesMs) {
      await pause(Math.max(0, dueMs - (performance.now() - startedAt)));
      // On a busy machine there are fewer.
      dueMs = Math.max(dueMs, performance.now() - startedAt);
      const readings: Record<string, Reading> = {};
      for (const part of survivors) readings[part.name] = await part.call<Reading>('read');
      samples.push({ minute: (performance.now() - startedAt) / 60_000, readings });
      const problem = await page?.reload();
      if (problem !== undefined) complaints.push(`the page of administration-1: ${problem}`);
    }
    isOver = true;
  };
  try {
    await Promise.all([sample(), trouble()]);
  } finally {
    isOver = true;
  }

  await page?.close();
  await callers.stop();
  complaints.push(...callers.wrong.map((text) => `callers: ${text}`));
  const facts: Record<string, number> = { 'keys confirmed': callers.confirmed.size, 'MCP calls': callers.mcpCalls };
  if (samples.length < 8) complaints.push(`only ${samples.length} samples: the machine is too busy to say anything`);
  if (callers.mcpCalls === 0) complaints.push('callers: no MCP call has succeeded');
  for (const service of services) {
    const wrong = await service.call<string[]>('drain');
    complaints.push(...wrong.map((text) => `${service.name}: ${text}`));
    for (const [name, count] of Object.entries(await service.call<Record<string, number>>('facts')))
      facts[`${service.name}: ${name}`] = count;
  }
  if (facts['service-1: done'] === 0) complaints.push('service-1: no entry was written');
  for (const { wire } of parts) wire.cut();
  for (const part of survivors) {
    const left = await part.leftOpen();
    if (left !== undefined) complaints.push(`${part.name}: ${left}`);
  }
  for (const administration of administrations) {
    const wrong = await administration.call<string[]>('drain');
    complaints.push(...wrong.map((text) => `${administration.name}: ${text}`));
  }
  for (const part of parts) await part.stop();
  const journals = services.map(({ name }) => disk.file(`${name}.db`));
  complaints.push(...(await compareLedgers(disk.file('ledger.db'), journals)));
  complaints.push(...(await compareKeys(disk.file('keys.db'), callers.confirmed)));
  const levels = levelsOf(samples);
  // Bytes and delays of a few minutes say more about what else the machine does.
  const isJudged = ({ unit }: Level) => unit === '' || minutes >= 10;
  complaints.push(...levels.filter((level) => !level.isLevel && isJudged(level)).map(complaintOf));
  mkdirSync(path.join(into, 'images'), { recursive: true });
  writeReport(into, { minutes, samples, levels, counts, facts, complaints });
  return complaints;
}

let complaints: string[];
try {
  complaints = await run();
} catch (error) {
  complaints = [String((error as Error).stack)];
} finally {
  for (const part of parts) await part.stop();
}
for (const complaint of complaints.slice(0, 50)) console.log(complaint);
if (complaints.length > 50) console.log(`and ${complaints.length - 50} more`);
console.log(
  complaints.length === 0 ? `${minutes} minutes of trouble have left no trace` : `${complaints.length} complaints`,
);
process.exit(complaints.length === 0 ? 0 : 1);
