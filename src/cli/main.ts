#!/usr/bin/env node
import { createRequire } from 'node:module';
import { runCli } from './index.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stop.abort(new Error(`Ended by ${signal}.`, { cause: signal })));
}
// `concordat … | head` closes the pipe early: the exit code is still that of the command.
const unread = new AbortController();
let isLost = false;
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    unread.abort();
    if (error.code === 'EPIPE' || isLost) return;
    isLost = true;
    process.exitCode = 2;
    process.stderr.write(`The output cannot be written: ${error.message}\n`);
  });
}

runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  version,
  signal: stop.signal,
  unread: unread.signal,
}).then(
  (code) => {
    if (!isLost) process.exitCode = code;
    // Requests of a check may still be under way.
    if (stop.signal.aborted) process.exit();
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 2;
  },
);
