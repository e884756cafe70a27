// Mutation testing with Stryker: `npm run mutation -- contract`. See docs/proofs.md.
import { spawn } from 'node:child_process';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { toSeed } from './share-out.js';

interface Room {
  readonly mutate: string[];
  readonly tests: string[];
  /**
   * Tests that are slow, about something else, or run the source in a process of their own, where no mutant acts; and those
   * that load the source anew, which makes mutants that act while it loads look like survivors.
   */
  readonly except: string[];
  /** Whether mutants that act while a module loads are tried, too: with all tests, so only where these take seconds. */
  readonly statics: boolean;
}

const rooms: Record<string, Room> = {
  contract: {
    mutate: ['src/contract/**/*.ts'],
    tests: ['test/contract/**/*.test.ts'],
    except: ['test/contract/{clock,stack}.test.ts'],
    statics: true,
  },
  client: {
    mutate: ['src/client/**/*.ts'],
    tests: ['test/client/**/*.test.ts'],
    except: ['test/client/{copy-script.long,second-copy}.test.ts'],
    statics: false,
  },
  'api-keys': {
    mutate: ['src/api-keys/**/*.ts'],
    tests: ['test/api-keys/**/*.test.ts'],
    except: ['test/api-keys/{backup,expiring,optional-packages}.test.ts'],
    statics: false,
  },
  connector: {
    mutate: ['src/connector/**/*.ts', '!src/connector/adapters/**'],
    tests: ['test/connector/**/*.test.ts'],
    except: ['test/connector/{serve-restart,without-listener}.test.ts'],
    statics: false,
  },
};

function toShare(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError('It must be above 0 and at most 1.');
  return value;
}

const program = new Command('npm run mutation --')
  .description('Finds changes of the source that no test notices.')
  .addArgument(new Argument('<room>', 'the folder of src/ whose source is changed').choices(Object.keys(rooms)))
  .option('--mutate <globs...>', 'only these files of the room, or lines of them: src/client/close.ts:10-20')
  .option('--sample <share>', 'how much of the mutants that tests reach is tried', toShare, 1)
  .option('--seed <number>', 'which mutants the sample consists of', toSeed, 1)
  .addOption(new Option('--concurrency <number>', 'how many processes').choices(['1', '2', '4', '8']).default('1'))
  .parse();
const [name = ''] = program.args;
const options = program.opts();

const request = { room: name, ...rooms[name], ...options, concurrency: Number(options.concurrency) };
const stryker = 'tools/mutation/node_modules/@stryker-mutator/core/bin/stryker.js';
const child = spawn(process.execPath, [stryker, 'run', 'tools/mutation/stryker.config.mjs'], {
  env: { ...process.env, CONCORDAT_MUTATION: JSON.stringify(request) },
  stdio: 'inherit',
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
