/** The command line was wrong, or only asked for help: the process ends with this code. */
export class UsageExit extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}
