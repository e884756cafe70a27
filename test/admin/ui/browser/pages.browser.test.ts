import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { startAdministration } from '../helpers/administration.js';
import {
  desktop,
  expectAccessible,
  expectToFit,
  openBrowser,
  openSignedIn,
  phone,
  takePicture,
  themes,
  useBrowser,
} from '../helpers/browser.js';
import { administrationWithKeys } from '../helpers/sample-keys.js';

useBrowser();

const looks = [
  ...themes.map((theme) => ({ look: theme as string, theme, size: desktop, forcedColors: false })),
  { look: 'phone', theme: 'light' as const, size: phone, forcedColors: false },
  { look: 'forced-colors', theme: 'dark' as const, size: desktop, forcedColors: true },
];

async function openKey(page: Page, name: string): Promise<void> {
  await page.goto(`/api-keys?scope=all&search=${encodeURIComponent(name)}`);
  await page.getByRole('link', { name, exact: true }).click();
}

interface State {
  readonly name: string;
  readonly open: (page: Page) => Promise<unknown>;
  /** The picture is of the window, not of the whole page. @default false */
  readonly window?: boolean;
}

/** Every page and every state of one that looks different, and how to get there. */
const pages: readonly State[] = [
  { name: 'list', open: (page) => page.goto('/api-keys') },
  { name: 'list-all', open: (page) => page.goto('/api-keys?scope=all') },
  { name: 'list-nothing-found', open: (page) => page.goto('/api-keys?search=zzz') },
  {
    name: 'revoke-dialog',
    window: true,
    async open(page) {
      await page.goto('/api-keys?scope=all');
      await page.getByRole('link', { name: 'Revoke MCP assistant' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'revoke-page',
    async open(page) {
      await openKey(page, 'MCP assistant');
      await page.goto(`${page.url()}/revoke`);
    },
  },
  { name: 'create', open: (page) => page.goto('/api-keys/new') },
  {
    name: 'create-custom',
    async open(page) {
      await page.goto('/api-keys/new');
      await page.getByLabel('Custom').check();
    },
  },
  {
    name: 'create-errors',
    async open(page) {
      await page.goto('/api-keys/new');
      await page.getByLabel('Name').fill('Terraform');
      await page.getByLabel('Custom').check();
      await page.getByLabel('Date and time (UTC)').fill('2029-01-01T10:00');
      await page.getByRole('button', { name: 'Create API key' }).click();
      await page.getByText('API key name must be unique.').waitFor();
    },
  },
  { name: 'details', open: (page) => openKey(page, 'CI pipeline (main)') },
  { name: 'details-expires-soon', open: (page) => openKey(page, 'Nightly export') },
  { name: 'details-revoked', open: (page) => openKey(page, 'Old laptop') },
  {
    name: 'edit',
    async open(page) {
      await openKey(page, 'CI pipeline (main)');
      await page.getByRole('link', { name: 'Edit' }).click();
    },
  },
  {
    name: 'edit-disabled',
    async open(page) {
      await openKey(page, 'Old laptop');
      await page.goto(`${page.url()}/edit`);
    },
  },
  { name: 'audits', open: (page) => page.goto('/api-key-audits') },
  { name: 'audits-filtered', open: (page) => page.goto('/api-key-audits?author=root&origin=UI&from=2026-08-01') },
  { name: 'audits-nothing-found', open: (page) => page.goto('/api-key-audits?author=nobody') },
  { name: 'audits-which-key', open: (page) => page.goto('/api-key-audits?find=i') },
  { name: 'users', open: (page) => page.goto('/users') },
  { name: 'users-nothing-found', open: (page) => page.goto('/users?search=zzz') },
  {
    name: 'delete-dialog',
    window: true,
    async open(page) {
      await page.goto('/users');
      await page.getByRole('link', { name: 'Delete bob' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'delete-page', open: (page) => page.goto('/users/delete?id=u-bob') },
  {
    name: 'replace',
    async open(page) {
      await openKey(page, 'Nightly export');
      await page.getByRole('link', { name: 'Replace this key' }).click();
      await page.getByText('takes the place of').waitFor();
    },
  },
  { name: 'revoke-all', open: (page) => page.goto('/api-keys/revoke-all?user=u-bob') },
  { name: 'not-found', open: (page) => page.goto('/nowhere') },
];

/** The same of what comes after a change, each in an administration of its own. */
const changes: readonly State[] = [
  {
    name: 'created',
    async open(page) {
      await page.goto('/api-keys/new');
      await page.getByLabel('Name').fill('Deployment bot');
      await page.getByRole('button', { name: 'Create API key' }).click();
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('Copied to the clipboard.').waitFor();
    },
  },
  {
    name: 'leave-dialog',
    window: true,
    async open(page) {
      await page.goto('/api-keys/new');
      await page.getByLabel('Name').fill('Another bot');
      await page.getByRole('button', { name: 'Create API key' }).click();
      await page.getByRole('link', { name: 'API key audits' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
];

describe.each(looks)('$look', ({ look, theme, size, forcedColors }) => {
  it('sign-in has no violation of axe-core, right or wrong', async () => {
    const page = await openBrowser(await startAdministration(), { theme, size, forcedColors });
    await expectAccessible(page);
    await expectToFit(page);
    await takePicture(page, `sign-in-${look}`);
    await page.getByLabel('User name').fill('alice');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The user name or the password is wrong.').waitFor();
    await expectAccessible(page);
    await takePicture(page, `sign-in-wrong-${look}`);
  });

  const signedIn = async () => openSignedIn(await administrationWithKeys(), 'root', { theme, size, forcedColors });

  async function check(page: Page, { name, open, window = false }: State): Promise<void> {
    await open(page);
    await expectAccessible(page);
    await expectToFit(page);
    await takePicture(page, `${name}-${look}`, !window);
  }

  it('no page has a violation of axe-core, and all fit', { timeout: 300_000 }, async () => {
    const page = await signedIn();
    for (const one of pages) await check(page, one);
  });

  it.each(changes)('$name has no violation of axe-core and fits', async (one) => check(await signedIn(), one));

  it('the first page of a new user has no violation of axe-core and fits', async () => {
    const page = await openSignedIn(await startAdministration(), 'mallory', { theme, size, forcedColors });
    await expectAccessible(page);
    await expectToFit(page);
    await takePicture(page, `list-empty-${look}`);
  });

  it('an edition without API keys has no violation of axe-core and fits', async () => {
    let edition = 'Professional';
    const host = await startAdministration({
      admin: { edition: async () => edition },
      keys: { edition: async () => edition },
    });
    const { id } = await host.made('u-alice', 'Export', 1, 90);
    const page = await openSignedIn(host, 'alice', { theme, size, forcedColors });
    edition = 'Community';
    for (const [name, path] of [
      ['list', '/api-keys'],
      ['create', '/api-keys/new'],
      ['details', `/api-keys/${id}`],
    ] as const) {
      await page.goto(path);
      await expectAccessible(page);
      await expectToFit(page);
      await takePicture(page, `edition-${name}-${look}`);
    }
  });
});
