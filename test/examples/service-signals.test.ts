import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newDataDirectory, root, serviceEnvironment } from './service-environment.js';

vi.setConfig({ testTimeout: 300_000 });

it('a SIGTERM for `npm start` ends the service, not npm alone', async () => {
  const npm = spawn('npm', ['start', '--', '--port', '0', '--issues', '1', '--data', newDataDirectory()], {
    cwd: root,
    env: serviceEnvironment(),
    // A group of its own, so that whatever is left can be ended.
    detached: true,
  });
  onTestFinished(() => {
    try {
      process.kill(-(npm.pid as number), 'SIGKILL');
    } catch {
      // Nothing is left.
    }
  });
  const ended = once(npm, 'exit');
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    ended.then(() => reject(new Error(`Ended early:\n${output}`)), reject);
    for (const stream of [npm.stdout, npm.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const found = /^Administration: (http:\/\/\S+)\/\n/m.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
  });
  expect((await fetch(`${url}/sign-in`)).status).toBe(200);
  npm.kill('SIGTERM');
  await ended;
  await expect(fetch(`${url}/sign-in`)).rejects.toThrow('fetch failed');
});
