import { Command, CommanderError } from 'commander';
import { printable } from '../internal/index.js';
import { addCall } from './call.js';
import { addCheck } from './check.js';
import { createPaint, endedCode, exitCodes, type Io, UsageError } from './io.js';
import { addNew } from './new/new.js';
import { useProxy } from './proxy.js';
import { addRecord } from './record/record.js';
import { addSimulate } from './simulate.js';

export type { Io, Output } from './io.js';

/** Runs the command and resolves to its exit code. Rejects only for a defect. */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  let code: number = exitCodes.good;
  const finish = (result: number) => {
    code = result;
  };
  const paint = createPaint(io.stderr, io.env);
  const program = new Command('concordat')
    .description('Creates, checks, calls, records and simulates connectors.')
    .version(io.version, '-v, --version')
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      `
Examples:
  $ concordat new my-connector
  $ concordat check http://127.0.0.1:4000
  $ concordat call http://127.0.0.1:4000 GET /issues -i user=alice -i password=prompt
  $ concordat simulate --limit 100/1s --session 30s

HTTP_PROXY, HTTPS_PROXY and NO_PROXY are respected.
Run concordat help COMMAND for the options of a command.`,
    );
  program.exitOverride().configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    outputError: (text, write) => write(paint('red', text)),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
  for (const add of [addNew, addCheck, addCall, addRecord, addSimulate]) add(program, io, finish);
  program.hook('preAction', () => useProxy(io.env));
  program.showHelpAfterError('(concordat help lists the commands)');
  for (const command of program.commands) {
    command.copyInheritedSettings(program).showHelpAfterError(`(concordat help ${command.name()} shows how)`);
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.good : exitCodes.unusable;
    if (io.signal.aborted) return endedCode(io);
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(`${paint('red', printable(error.message))}\n`);
    return exitCodes.unusable;
  }
  return code;
}
