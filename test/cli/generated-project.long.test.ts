// A project that `concordat new` has written, started as its author starts it: a process of its own, against the source.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConnectorClient } from 'concordat/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from './helpers/run.js';

const root = path.resolve(import.meta.dirname, '../..');
const templates = ['hono', 'express', 'fastify'];
const account = { user: 'ada', password: 'correct horse' };

async function newProject(template: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-project-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await run(['new', '.', '--name', 'demo', '--template', template], { cwd: folder });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  // What an installed package resolves to.
  const { compilerOptions } = JSON.parse(readFileSync(path.join(root, 'tsconfig.json'), 'utf8'));
  const paths = Object.entries(compilerOptions.paths as Record<string, string[]>).map(([name, targets]) => [
    name,
    targets.map((target) => path.join(root, target)),
  ]);
  writeFileSync(
    path.join(folder, 'tsconfig.paths.json'),
    JSON.stringify({ extends: './tsconfig.json', compilerOptions: { paths: Object.fromEntries(paths) } }),
  );
  return {
    folder,
    /** Replaces a text of a file. @returns the line. */
    edit(file: string, before: string, after: string): number {
      const text = readFileSync(path.join(folder, file), 'utf8');
      expect(text).toContain(before);
      writeFileSync(path.join(folder, file), text.replace(before, after));
      return text.slice(0, text.indexOf(before)).split('\n').length;
    },
  };
}

function launch(folder: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', TSX_TSCONFIG_PATH: path.join(folder, 'tsconfig.paths.json'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { out: '', err: '' };
  child.stdout.on('data', (text) => (written.out += text));
  child.stderr.on('data', (text) => (written.err += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, written, ended };
}

/** The URL that the connector prints when it listens. */
async function listening({ child, written }: { child: ChildProcess; written: { out: string; err: string } }) {
  await expect.poll(() => written.out.includes('Behind it') || child.exitCode !== null, { timeout: 50_000 }).toBe(true);
  const url = /listens on (\S+)/.exec(written.out)?.[1];
  if (url === undefined) throw new Error(`It does not listen:\n${written.err}`);
  return url;
}

async function read(baseUrl: string, route: string): Promise<unknown> {
  const client = createConnectorClient({ baseUrl, initialize: { parameters: account }, retry: { retries: 0 } });
  onTestFinished(() => client.close());
  return client.get(route).catch((error: unknown) => error);
}

describe.each(templates)('%s', (template) => {
  it("an author's own mistake is in his terminal, with file and line, when the response is there", async () => {
    const { folder, edit } = await newProject(template);
    const before = 'getItem(session: Session, id: string): Promise<Item> {';
    const line = edit('src/end-system.ts', before, `${before}\n  (undefined as unknown as Item).title.trim();`) + 1;
    const started = launch(folder);
    const url = await listening(started);
    expect(await read(url, '/items/7')).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
    await expect
      .poll(() => started.written.err)
      .toMatch(/^GET \/items\/7: TypeError: Cannot read properties of undefined/m);
    expect(started.written.err).toMatch(new RegExp(`^    at .*getItem.*src/end-system\\.ts:${line}:\\d+`, 'm'));
    expect(started.written.err).not.toContain('CONCORDAT_NO_LISTENER');
  });

  it('a response of another shape is a 502 that names the field, and a line of JSON in production', async () => {
    const { folder, edit } = await newProject(template);
    edit('src/end-system.ts', 'title: z.string(), done', 'title: z.number(), done');
    const started = launch(folder, { NODE_ENV: 'production', END_SYSTEM_URL: await startSample(folder) });
    const error = await read(await listening(started), '/items/7');
    expect(error).toMatchObject({ status: 502, code: 'END_SYSTEM_INVALID_RESPONSE' });
    expect((error as Error).message).toContain('does not fit: title: ');
    await expect.poll(() => started.written.err).toContain('\n');
    const entry = JSON.parse(started.written.err.split('\n')[0] as string);
    expect(entry).toMatchObject({ level: 'error', method: 'GET', path: '/items/7', status: 502 });
  });

  it.each(['text/csv', 'drawing'])('a file keeps the content type %s of the end system (D1)', async (type) => {
    const { folder, edit } = await newProject(template);
    edit('src/sample/service.ts', "'image/png'", `'${type}'`);
    const baseUrl = await listening(launch(folder));
    const client = createConnectorClient({ baseUrl, initialize: { parameters: account } });
    onTestFinished(() => client.close());
    const { headers, body } = await client.stream('/items/7/file');
    await body.cancel();
    expect(headers.get('content-type')).toBe(type);
  });

  it.each([
    ['is none', () => 'abc'],
    ['is taken', async (folder: string) => new URL(await listening(launch(folder))).port],
  ])('a port that %s is an error in one line', async (_what, portOf) => {
    const { folder } = await newProject(template);
    const PORT = await portOf(folder);
    const { ended, written } = launch(folder, { PORT });
    expect(await ended).toBe(1);
    expect(written.err).toMatch(new RegExp(`^The connector cannot listen on 127.0.0.1, port ${PORT}: .+\n$`));
  });
});

describe('a production image', () => {
  it.each([
    ['without an end system', {}],
    ['with an empty URL', { END_SYSTEM_URL: '' }],
    ['with a URL that is none', { END_SYSTEM_URL: 'notaurl' }],
    ['with a URL of another kind', { END_SYSTEM_URL: 'ftp://tracker.example.com' }],
  ])('%s does not start, and says why', async (_what, env) => {
    const { folder } = await newProject('hono');
    const { ended, written } = launch(folder, { NODE_ENV: 'production', ...env });
    expect(await ended).toBe(1);
    expect(written.out).toBe('');
    expect(written.err).toContain('END_SYSTEM_URL must be the URL of the end system');
  });

  it('starts with the URL of an end system (control)', async () => {
    const { folder } = await newProject('hono');
    const started = launch(folder, { NODE_ENV: 'production', END_SYSTEM_URL: 'https://tracker.example.com/' });
    await listening(started);
    expect(started.written.out).toContain('Behind it: https://tracker.example.com\n');
  });
});

/** The sample of the project, in a process of its own. */
async function startSample(folder: string): Promise<string> {
  const program = `import { startSample } from './src/sample/service.ts';
    process.stdout.write(await startSample()); setInterval(() => {}, 1000);`;
  writeFileSync(path.join(folder, 'start-sample.ts'), program);
  const child = spawn(process.execPath, ['--import', 'tsx', 'start-sample.ts'], { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new Promise((resolve) => child.stdout.once('data', (url) => resolve(String(url))));
}
