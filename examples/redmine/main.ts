import { runAgainstRedmine } from './run/run.js';

const stop = new AbortController();
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    process.exitCode = exitCode;
    stop.abort(new Error('Stopped'));
  });
}

try {
  const passed = await runAgainstRedmine(process.env, stop.signal);
  process.exitCode ??= passed ? 0 : 1;
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode ??= 1;
}
