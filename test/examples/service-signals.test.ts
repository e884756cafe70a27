import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newDataDirectory, root, serviceEnvironment } from './service-environment.js';

vi.setConfig({ testTimeout: 300_000 });

it('a SIGTERM ends the service, as its README tells service managers to start it', async () => {
  const [, command = ''] =
    /service manager, start `(.+?)`/.exec(readFileSync('examples/service/README.md', 'utf8')) ?? [];
  const [program = '', ...words] = command.split(' ');
  const service = spawn(program, [...words, '--port', '0', '--issues', '1', '--data', newDataDirectory()], {
    cwd: root,
    env: serviceEnvironment(),
  });
  onTestFinished(() => void service.kill('SIGKILL'));
  const ended = once(service, 'exit');
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    ended.then(() => reject(new Error(`Ended early:\n${output}`)), reject);
    for (const stream of [service.stdout, service.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const found = /^Administration: (http:\/\/\S+)\/\n/m.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
  });
  expect((await fetch(`${url}/sign-in`)).status).toBe(200);
  service.kill('SIGTERM');
  await ended;
  await expect(fetch(`${url}/sign-in`)).rejects.toThrow('fetch failed');
});
