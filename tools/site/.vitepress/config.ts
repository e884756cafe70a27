import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';

const docs = path.resolve(import.meta.dirname, '../../../docs');

/** A page's own heading is its name. */
const page = (file: string) => {
  const title = /^# (.+)$/m.exec(readFileSync(path.join(docs, `${file}.md`), 'utf8'))?.[1];
  if (title === undefined) throw new Error(`docs/${file}.md has no heading`);
  return { text: title.replaceAll('`', ''), link: `/${file}` };
};
const group = (text: string, files: string[], collapsed = false) => ({
  text,
  collapsed,
  items: files.filter((file) => existsSync(path.join(docs, `${file}.md`))).map(page),
});
const decisions = readdirSync(path.join(docs, 'decisions'))
  .filter((name) => /^\d.*\.md$/.test(name))
  .sort()
  .map((name) => `decisions/${name.slice(0, -3)}`);
const modules = (folder = 'reference'): string[] =>
  readdirSync(path.join(docs, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? modules(`${folder}/${entry.name}`) : [`${folder}/${entry.name.slice(0, -3)}`],
  );

export default defineConfig({
  title: 'Concordat',
  description: 'A TypeScript SDK for connectors and the service that calls them.',
  srcDir: '../../docs',
  outDir: '.vitepress/dist',
  rewrites: { 'decisions/README.md': 'decisions/index.md' },
  cleanUrls: true,
  // Guides also link to files of the repository, which are no pages here.
  ignoreDeadLinks: [
    /\.\.\/(examples|test|src|bench|scripts|templates|tools|CHANGELOG|CONTRIBUTING|README|SECURITY)/,
    /openapi\//,
  ],
  markdown: { languageAlias: { output: 'text' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: 'deep',
    nav: [
      { text: 'For connector authors', link: '/quick-start-connector' },
      { text: 'For the service', link: '/quick-start-service' },
      { text: 'Rules', link: '/rules' },
      { text: 'API reference', link: '/reference/' },
    ],
    sidebar: [
      group('Start', ['quick-start-connector', 'quick-start-service']),
      group('Guides', [
        'connector-routes',
        'errors',
        'killable-sync',
        'data',
        'files',
        'networks',
        'runtimes',
        'rate-limits',
        'sessions',
        'presets',
        'preset-list',
        'oauth',
        'past-one-machine',
        'job-queues',
        'observability',
      ]),
      group('Testing', ['testing', 'conformance', 'proofs']),
      group('Administration', ['api-keys', 'administration', 'backup', 'watch-a-sync']),
      group('Background', ['architecture', 'rules', 'security', 'performance', 'scale', 'upgrade-policy']),
      {
        ...group(
          'API reference',
          modules().filter((file) => !file.endsWith('/index')),
          true,
        ),
        link: '/reference/',
      },
      { ...group('Decisions', decisions, true), link: '/decisions/' },
    ],
  },
});
