import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endSystems } from '../../src/cli/new/end-systems.js';
import { planProject, type Template } from '../../src/cli/new/project.js';
import { run } from './helpers/run.js';
import { answer, createTerminal } from './helpers/terminal.js';

const templates = ['hono', 'express', 'fastify'];

/** What concordat fills in; `${{ … }}` is GitHub's. */
const placeholder = /(?<!\$)\{\{/;

/** An empty folder, with its files by path. */
function emptyFolder() {
  const cwd = mkdtempSync(path.join(tmpdir(), 'concordat-new-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  return {
    cwd,
    read: (file: string) => readFileSync(path.join(cwd, file), 'utf8'),
    write: (file: string, text: string) => {
      mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true });
      writeFileSync(path.join(cwd, file), text);
    },
    manifest: (folder: string) => JSON.parse(readFileSync(path.join(cwd, folder, 'package.json'), 'utf8')),
    files: (folder = '.') =>
      readdirSync(path.join(cwd, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => path.relative(path.join(cwd, folder), path.join(entry.parentPath, entry.name)))
        .sort(),
  };
}

describe('concordat new without a terminal', () => {
  it('takes the defaults, and says the next three commands', async () => {
    const { cwd, manifest, files } = emptyFolder();
    const { code, out, err } = await run(['new', 'demo'], { cwd });
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Created demo (18 files, template hono, preset generic).');
    expect(out).toContain('\n  cd demo\n  npm install\n  npm test\n');
    expect(manifest('demo').name).toBe('demo');
    expect(files('demo')).toHaveLength(18);
  });

  it.each(templates)('%s: has all that is promised', async (template) => {
    const { cwd, files } = emptyFolder();
    await run(['new', 'demo', '--template', template], { cwd });
    expect(files('demo')).toEqual(
      expect.arrayContaining([
        ...['.dockerignore', '.github/workflows/ci.yml', '.gitignore', 'AGENTS.md', 'Dockerfile', 'README.md'],
        ...['concordat.config.ts', 'package.json', 'src/connector.ts', 'src/cursor.ts', 'src/end-system.ts'],
        ...['src/main.ts'],
        ...['src/sample/service.ts', 'test/conformance.test.ts', 'tsconfig.json', 'tsconfig.build.json'],
      ]),
    );
    expect(files('demo')).not.toContain('gitignore');
  });

  const combinations = templates.flatMap((template) =>
    Object.keys(endSystems).map((preset) => [template, preset] as const),
  );
  it.each(combinations)('%s, %s: no placeholder survives', (template, preset) => {
    for (const name of ['demo', '@acme/orders']) {
      const files = planProject({ name, template: template as Template, preset, concordat: '^1.2.3' });
      for (const [file, text] of files) expect([file, text.match(placeholder)]).toEqual([file, null]);
    }
  });

  it.each([{ preset: undefined }, { name: undefined }])('%o: a missing value is refused, never written', (missing) => {
    const whole = { name: 'demo', template: 'hono', preset: 'generic', concordat: '^1.2.3' } as const;
    expect(() => planProject({ ...whole, ...missing } as never)).toThrow(TypeError);
  });

  it.each(templates)('%s: every relative import leads to a file', async (template) => {
    const { cwd, files, read } = emptyFolder();
    await run(['new', 'demo', '--template', template], { cwd });
    const sources = files('demo').filter((file) => file.endsWith('.ts'));
    const targets = sources.flatMap((file) =>
      [...read(`demo/${file}`).matchAll(/ from '(\.[^']+)'/g)].map(([, to = '']) =>
        path.join(path.dirname(file), to.replace(/\.js$/, '.ts')),
      ),
    );
    expect(targets.length).toBeGreaterThan(5);
    for (const target of targets) expect(sources).toContain(target);
  });

  it.each(templates)('%s: depends on what this repository is tested with', async (template) => {
    const { cwd, manifest } = emptyFolder();
    await run(['new', 'demo', '--template', template], { cwd });
    const own = JSON.parse(readFileSync('package.json', 'utf8'));
    const { concordat, ...dependencies } = manifest('demo').dependencies;
    for (const [name, range] of Object.entries({ ...dependencies, ...manifest('demo').devDependencies })) {
      expect([name, range]).toEqual([name, own.dependencies[name] ?? own.devDependencies[name]]);
    }
    expect(Object.keys(dependencies).includes(template)).toBe(template !== 'hono'); // hono comes with concordat
    expect(manifest('demo').engines).toEqual(own.engines);
    // A dependency of Fastify asks for a Node that is newer.
    expect(manifest('demo').overrides).toEqual(template === 'fastify' ? own.overrides : undefined);
  });

  it.each([
    ['soap', 'envelopes'],
    ['graphql', 'queries'],
  ])('says for %s that the sample product speaks another language', async (preset, what) => {
    const { out } = await run(['new', 'demo', '--preset', preset, '--yes'], { cwd: emptyFolder().cwd });
    expect(out).toContain(`The sample product speaks REST: src/end-system.ts is where to send ${what} instead.`);
  });

  it('puts name, preset and template where they belong', async () => {
    const { cwd, read, manifest } = emptyFolder();
    const flags = ['--name', '@acme/orders', '--preset', 'github', '--template', 'fastify', '--yes'];
    const { code, out } = await run(['new', 'a/b', ...flags], { cwd });
    expect(code).toBe(0);
    expect(out).toContain('\n  cd a/b\n');
    expect(manifest('a/b').name).toBe('@acme/orders');
    expect(read('a/b/src/end-system.ts')).toContain("preset: 'github' as const");
    expect(read('a/b/README.md')).toContain('# @acme/orders');
    expect(read('a/b/AGENTS.md')).toContain('Fastify');
    // A tag of an image has no scope.
    expect(read('a/b/Dockerfile')).toContain('docker build -t orders .');
  });

  it('asks for the running package: as a folder, when it runs from one', async () => {
    const { cwd, manifest } = emptyFolder();
    await run(['new', 'demo'], { cwd });
    const spec: string = manifest('demo').dependencies.concordat;
    expect(path.resolve(cwd, 'demo', spec.replace(/^file:/, ''))).toBe(process.cwd());
    await run(['new', 'other', '--concordat', 'file:../concordat-9.9.9.tgz'], { cwd });
    expect(manifest('other').dependencies.concordat).toBe('file:../concordat-9.9.9.tgz');
    for (const template of ['hono', 'express']) {
      const windows = 'file:..\\concordat-9.9.9.tgz';
      await run(['new', `windows-${template}`, '-t', template, '--concordat', windows], { cwd });
      expect(manifest(`windows-${template}`).dependencies.concordat).toBe(windows);
    }
  });

  it('makes no git repository inside another, which could not be committed', async () => {
    const { cwd } = emptyFolder();
    expect((await run(['new', 'outer', '--git'], { cwd })).code).toBe(0);
    const { code, err } = await run(['new', 'outer/inner', '--git'], { cwd });
    expect([code, err]).toEqual([0, 'The folder is in a git repository already: --git has made no other.\n']);
    expect(existsSync(path.join(cwd, 'outer/inner/.git'))).toBe(false);
  });

  it('says in a workspace of npm what is not for it', async () => {
    const { cwd, write } = emptyFolder();
    write('mono/package.json', '{"workspaces":["packages/*"]}');
    const { code, out } = await run(['new', 'mono/packages/jira'], { cwd });
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('In the workspaces of mono/package.json, run `npm install`'),
    ]);
    const alone = await run(['new', 'alone'], { cwd });
    expect(alone.out).not.toContain('workspaces');
  });

  it('makes a git repository only when asked to', async () => {
    const { cwd, read } = emptyFolder();
    await run(['new', 'plain'], { cwd });
    expect(existsSync(path.join(cwd, 'plain/.git'))).toBe(false);
    expect((await run(['new', 'repository', '--git'], { cwd })).code).toBe(0);
    expect(read('repository/.git/HEAD')).toBe('ref: refs/heads/main\n'); // for which the workflow runs
  });

  it('quotes a folder for the shell', async () => {
    const { cwd } = emptyFolder();
    const { out } = await run(['new', "Ada's $HOME", '--name', 'demo'], { cwd });
    expect(out).toContain(`\n  cd 'Ada'\\''s $HOME'\n`);
  });
});

describe('concordat new writes over nothing', () => {
  it('names what is there, exits 2 and writes nothing at all', async () => {
    const { cwd, read, write, files } = emptyFolder();
    write('demo/README.md', 'mine');
    write('demo/src/end-system.ts', 'mine, too');
    const { code, out, err } = await run(['new', 'demo'], { cwd });
    expect(err).toContain('because demo already contains README.md, src/end-system.ts. Choose another folder');
    expect([code, out]).toEqual([2, '']);
    expect(files('demo')).toEqual(['README.md', 'src/end-system.ts']);
    expect(read('demo/README.md')).toBe('mine');
  });

  it('writes beside other files (control), the folder itself included', async () => {
    const { cwd, read, write } = emptyFolder();
    write('demo/LICENSE', 'mine');
    write('demo/src/mine.ts', 'mine');
    const { code, out } = await run(['new', '.'], { cwd: path.join(cwd, 'demo') });
    expect(code).toBe(0);
    expect(out).toContain('\n  npm install\n  npm test\n  npm start\n');
    expect(read('demo/LICENSE')).toBe('mine');
    expect(read('demo/src/main.ts')).toContain('start(');
  });

  it('does not write through a link, even one that leads nowhere', async () => {
    const { cwd } = emptyFolder();
    mkdirSync(path.join(cwd, 'demo'));
    symlinkSync(path.join(cwd, 'elsewhere'), path.join(cwd, 'demo/Dockerfile'));
    const { code, err } = await run(['new', 'demo'], { cwd });
    expect(err).toContain('demo already contains Dockerfile');
    expect(code).toBe(2);
    expect(lstatSync(path.join(cwd, 'elsewhere'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('a file in the place of a folder is in the way', async () => {
    const { cwd, write } = emptyFolder();
    write('demo/src', 'a file');
    expect((await run(['new', 'demo'], { cwd })).err).toContain('demo already contains src. Choose');
    const { code, err } = await run(['new', 'demo/src', '--name', 'demo'], { cwd });
    expect(err).toContain('demo/src cannot be written: it is not a folder');
    expect(code).toBe(2);
  });

  it.runIf(existsSync('/proc'))('a place where no folder can be made is refused, at once', async () => {
    const { code, err } = await run(['new', '/proc/demo/deep']);
    expect(err).toContain('/proc/demo/deep cannot be written: ENOENT');
    expect(code).toBe(2);
  });
});

describe('names that npm does not take', () => {
  it.each([
    ['My Demo', 'lowercase letter or a digit', 'my-demo'],
    ['Käse', 'lowercase letter or a digit', 'kase'],
    ['.hidden', 'lowercase letter or a digit', 'hidden'],
    ['a/b/c', 'lowercase letter or a digit', 'a-b-c'],
    ['@acme/', 'lowercase letter or a digit', 'acme'],
    ['node_modules', 'npm reserves this name', 'node_modules-connector'],
    ['concordat', 'the connector depends on a package with this name', 'concordat-connector'],
    ['vitest', 'the connector depends on a package with this name', 'vitest-connector'],
    ['x'.repeat(215), 'it is longer than 214 characters', 'x'.repeat(214)],
  ])('%s: says why, and offers another', async (name, reason, suggestion) => {
    const { cwd, files } = emptyFolder();
    const { code, err } = await run(['new', 'demo', '--name', name], { cwd });
    expect(err).toContain(reason);
    expect(err).toContain(`--name ${suggestion}.`);
    expect(code).toBe(2);
    expect(files()).toEqual([]);
    expect((await run(['new', 'demo', '--name', suggestion], { cwd })).code).toBe(0);
  });

  it('a name without any letter gets no suggestion', async () => {
    const { cwd } = emptyFolder();
    const { code, err } = await run(['new', 'demo', '--name', '***'], { cwd });
    expect(err).toMatch(/Give another with --name\.\n$/);
    expect(code).toBe(2);
  });

  it("the folder's name is judged too, and may be replaced", async () => {
    const { cwd } = emptyFolder();
    const { code, err } = await run(['new', 'My Demo'], { cwd });
    expect(err).toContain('Give one with --name, such as --name my-demo.');
    expect(code).toBe(2);
    expect((await run(['new', 'My Demo', '--name', 'my-demo'], { cwd })).code).toBe(0);
  });

  it('the name of another framework is free', async () => {
    const { cwd } = emptyFolder();
    expect((await run(['new', 'express', '--template', 'express'], { cwd })).code).toBe(2);
    expect((await run(['new', 'express', '--template', 'hono'], { cwd })).code).toBe(0);
  });
});

describe('what is wrong with the arguments is said', () => {
  it.each([
    [['new'], "missing required argument 'folder'"],
    [['new', 'demo', '--template', 'koa'], 'Allowed choices are hono, express, fastify.'],
    [['new', 'demo', '--preset', 'nope'], 'Allowed choices are generic, '],
    [['new', 'demo', '--preset', 'nope'], 'take generic, and describe it with definePreset: see docs/presets.md'],
    [['new', 'demo', '--concordat', ' '], '--concordat is empty'],
  ])('%j', async (args, message) => {
    const { cwd, files } = emptyFolder();
    const { code, err } = await run(args, { cwd });
    expect(err).toContain(message);
    expect(code).toBe(2);
    expect(files()).toEqual([]);
  });
});

describe('concordat new on a terminal', () => {
  const down = '\u001b[B';
  const enter = '\r';

  it('asks for template, name and end system', async () => {
    const { cwd, manifest, read } = emptyFolder();
    const terminal = createTerminal();
    const ended = run(['new', 'demo'], { cwd, ...terminal.io });
    await answer(terminal, 'Which framework?', [down, enter]);
    await answer(terminal, 'What is the connector called?', ['-two', enter]);
    await answer(terminal, 'Which end system does it connect to?', ['github', enter]);
    expect((await ended).code).toBe(0);
    expect(manifest('demo').name).toBe('demo-two');
    expect(manifest('demo').dependencies).toHaveProperty('express');
    expect(read('demo/src/end-system.ts')).toContain("preset: 'github'");
    expect(terminal.written()).toContain('cd demo');
  });

  it('asks for nothing that was given', async () => {
    const { cwd, manifest } = emptyFolder();
    const terminal = createTerminal();
    const ended = run(['new', 'demo', '--template', 'hono', '--preset', 'github'], { cwd, ...terminal.io });
    await answer(terminal, 'What is the connector called?', [enter]);
    expect((await ended).code).toBe(0);
    expect(terminal.written()).not.toContain('Which');
    expect(manifest('demo').name).toBe('demo');
  });

  it('asks nothing with --yes', async () => {
    const { cwd, manifest } = emptyFolder();
    const terminal = createTerminal();
    const { code } = await run(['new', 'demo', '--yes'], { cwd, ...terminal.io });
    expect(code).toBe(0);
    expect(terminal.written()).not.toContain('?');
    expect(manifest('demo').name).toBe('demo');
  });

  it.each(['koala', 'request tracker', 'zzz'])(
    '%s, which is not listed, leads to generic and the page on presets',
    async (product) => {
      const { cwd, read, files } = emptyFolder();
      const terminal = createTerminal();
      const ended = run(['new', 'demo', '--name', 'demo', '--template', 'hono'], { cwd, ...terminal.io });
      await answer(terminal, 'Which end system does it connect to?', [product]);
      await answer(terminal, 'Another product', [enter]);
      expect((await ended).code).toBe(0);
      expect(read('demo/src/end-system.ts')).toContain("preset: 'generic'");
      expect(terminal.written()).toContain('preset generic');
      expect(terminal.written()).toContain('node_modules/concordat/docs/presets.md');
      for (const file of files('demo')) expect(read(`demo/${file}`)).not.toMatch(placeholder);
    },
  );

  it('does not take a bad name, and offers a good one', async () => {
    const { cwd, manifest } = emptyFolder();
    const terminal = createTerminal();
    const ended = run(['new', 'My Demo', '--template', 'hono', '--preset', 'generic'], { cwd, ...terminal.io });
    await answer(terminal, 'my-demo', [' !', enter]);
    await answer(terminal, 'Not a valid package name', ['\u007f\u007f', enter]);
    expect((await ended).code).toBe(0);
    expect(manifest('My Demo').name).toBe('my-demo');
  });

  it('ends at Ctrl-C, and writes nothing', async () => {
    const { cwd, files } = emptyFolder();
    const terminal = createTerminal();
    const ended = run(['new', 'demo'], { cwd, ...terminal.io });
    await answer(terminal, 'Which framework?', ['\u0003']);
    const { code, err } = await ended;
    expect([code, err]).toEqual([130, 'Nothing was written.\n']);
    expect(files()).toEqual([]);
  });

  it('asks nothing when the folder is taken', async () => {
    const { cwd, write } = emptyFolder();
    write('demo/package.json', '{}');
    const terminal = createTerminal();
    const { code } = await run(['new', 'demo'], { cwd, ...terminal.io });
    expect([code, terminal.written()]).toEqual([2, '']);
  });
});

it('an unknown command says where the commands are', async () => {
  const { code, err } = await run(['bogus']);
  expect(err).toContain("unknown command 'bogus'");
  expect(err).toContain('(concordat help lists the commands)');
  expect(code).toBe(2);
});
