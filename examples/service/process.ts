/** The command line was wrong, or only asked for help: the process ends with this code. */
export class UsageExit extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A signal that comes again within this time is the same Ctrl-C, passed on by npm or tsx. */
const echoMs = 500;
const exitCodes = { SIGINT: 130, SIGTERM: 143 };

/** Runs until it ends by itself or after a signal; the second signal ends the process at once. Sets the exit code. */
export async function runProcess(run: (signal: AbortSignal) => Promise<boolean>): Promise<void> {
  const stop = new AbortController();
  let stoppedAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      const now = performance.now();
      if (stoppedAt !== undefined && now - stoppedAt > echoMs) process.exit(exitCodes[signal]);
      stoppedAt ??= now;
      process.exitCode = exitCodes[signal];
      stop.abort(new Error('Stopped'));
    });
  }
  try {
    const isSuccess = await run(stop.signal);
    process.exitCode ??= isSuccess ? 0 : 1;
  } catch (error) {
    if (error instanceof UsageExit) {
      if (error.message !== '') process.stderr.write(`error: ${error.message}\n`);
      process.exitCode = error.exitCode;
    } else {
      process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode ??= 1;
    }
  }
}
