import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isObject, parseJson, printable } from '../../internal/index.js';
import { createPaint, endedCode, exitCodes, type Io, packageRoot, UsageError } from '../io.js';
import { given } from '../values.js';
import { findDependency } from './dependency.js';
import { endSystems } from './end-systems.js';
import { nameProblem, suggestName } from './name.js';
import { checkFree, dependencyNames, planProject, type Template, templateNames, writeProject } from './project.js';
import { ask, type Choices, canAsk, defaults } from './questions.js';

interface NewOptions {
  name?: string;
  template?: Template;
  preset?: string;
  yes?: true;
  git?: true;
  concordat?: string;
}

/** `concordat new`: creates a connector to start from. */
export function addNew(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command('new')
    .summary('create a new connector')
    .description(
      'Creates a connector for a sample product that runs and passes its tests. ' +
        'In a terminal it asks for missing options. It needs no network and never overwrites a file.',
    )
    .argument('<folder>', 'the folder to create the connector in; it may exist')
    .option('-n, --name <name>', "the name of the package (default: the folder's name)")
    .addOption(
      new Option('-t, --template <name>', `the framework (default: ${defaults.template})`).choices(templateNames),
    )
    .addOption(
      new Option('-p, --preset <name>', `the end system (default: ${defaults.preset})`)
        .choices(Object.keys(endSystems))
        .argParser(readPreset),
    )
    .option('-y, --yes', 'ask nothing and take the defaults')
    .option('--git', 'initialize a git repository')
    .option('--concordat <spec>', 'the version of concordat in package.json (default: the running one)')
    .addHelpText(
      'after',
      `
Examples:
  $ concordat new my-connector
  $ concordat new my-connector --template express --preset jira-cloud --yes
  $ concordat new . --name @acme/orders --git

Exit codes: 0 the connector was created, 2 nothing was written.`,
    )
    .action(async (folder: string, options: NewOptions) => finish(await create(folder, options, io)));
}

async function create(folder: string, options: NewOptions, io: Io): Promise<number> {
  const target = path.resolve(io.cwd, folder);
  // Checked before asking questions; the templates hardly differ in their file names.
  checkFree(target, planProject({ ...defaults, name: '', concordat: '' }).keys(), folder);
  const choices = await choose(options, path.basename(target), io);
  if (choices === undefined) {
    io.stderr.write('Nothing was written.\n');
    return endedCode(io);
  }
  const concordat = options.concordat ?? findDependency(packageRoot, io.version, target);
  const files = planProject({ ...choices, concordat });
  checkFree(target, files.keys(), folder);
  writeProject(target, files, folder);
  if (options.git) initializeGit(target, io);
  report(folder, choices, files.size, io);
  const root = findWorkspaces(path.dirname(target));
  if (root !== undefined) io.stdout.write(`\n${printable(ofWorkspaces(path.relative(io.cwd, root)))}\n`);
  return exitCodes.good;
}

async function choose(options: NewOptions, folderName: string, io: Io): Promise<Choices | undefined> {
  const { name, template, preset, yes, concordat } = options;
  if (concordat?.trim() === '') throw new UsageError('--concordat is empty: give a version, a URL or file:PATH.');
  const checked = name === undefined ? undefined : checkName(name, template);
  const asked = given({ name: checked, template, preset });
  if (!yes && canAsk(io)) {
    const answers = await ask(asked, folderName, io);
    return answers && { ...answers, name: checkName(answers.name, answers.template) };
  }
  return { ...defaults, ...asked, name: checked ?? checkName(folderName, template, 'Give one') };
}

function readPreset(preset: string): string {
  if (Object.hasOwn(endSystems, preset)) return preset;
  throw new InvalidArgumentError(
    `Allowed choices are ${Object.keys(endSystems).join(', ')}. ` +
      `For a product that is not listed, take generic, and describe it with definePreset: see docs/presets.md.`,
  );
}

function checkName(name: string, template: Template = defaults.template, advice = 'Give another'): string {
  const taken = dependencyNames(template);
  const problem = nameProblem(name, taken);
  if (problem === undefined) return name;
  const suggestion = suggestName(name, taken);
  const example = suggestion === '' ? '' : `, such as --name ${suggestion}`;
  throw new UsageError(
    `"${name.slice(0, 80)}" is not a valid package name: ${problem}. ${advice} with --name${example}.`,
  );
}

function initializeGit(target: string, io: Io): void {
  const { stdout } = spawnSync('git', ['rev-parse', '--is-inside-work-tree'], { cwd: target, encoding: 'utf8' });
  if (stdout?.trim() === 'true') {
    io.stderr.write('The folder is in a git repository already: --git has made no other.\n');
    return;
  }
  // The branch that the workflow of the project runs for.
  const init = ['-c', 'init.defaultBranch=main', 'init', '--quiet'];
  const { error, status, stderr } = spawnSync('git', init, { cwd: target, encoding: 'utf8' });
  if (error === undefined && status === 0) return;
  throw new UsageError(`The files were written, but git init failed: ${error?.message ?? stderr.trim()}`);
}

function report(folder: string, { name, template, preset }: Choices, count: number, io: Io): void {
  const paint = createPaint(io.stdout, io.env);
  const say = (text = '') => io.stdout.write(`${text}\n`);
  const commands = ['npm install', 'npm test'];
  if (path.resolve(io.cwd, folder) === path.resolve(io.cwd)) commands.push('npm start');
  else commands.unshift(`cd ${quote(folder)}`);
  say(printable(`Created ${name} (${count} files, template ${template}, preset ${preset}). Next:`));
  say();
  for (const command of commands) say(paint('cyan', printable(`  ${command}`)));
  say();
  say('Then see its README.md.');
  const sends = { soap: 'envelopes', graphql: 'queries' }[preset];
  if (sends !== undefined) say(`The sample product speaks REST: src/end-system.ts is where to send ${sends} instead.`);
  if (preset !== 'generic') return;
  say('If concordat has no preset for your product, node_modules/concordat/docs/presets.md says how to write one.');
}

/** The package.json above a folder that has workspaces. */
function findWorkspaces(folder: string): string | undefined {
  const file = path.join(folder, 'package.json');
  const manifest = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined;
  if (isObject(manifest) && manifest.workspaces !== undefined) return file;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : findWorkspaces(parent);
}

const ofWorkspaces = (manifest: string) =>
  `Its Dockerfile and .github/workflows/ci.yml are for a repository of its own. In the workspaces of ${manifest}, ` +
  'run `npm install` there, and let the workflow and the image of that repository build this package.';

/** For the shells of the machine: cmd.exe knows double quotes only. */
function quote(text: string): string {
  if (path.sep === '\\') return `"${text}"`;
  return /^[\w@%+=:,./~-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
