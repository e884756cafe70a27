import { expect, it } from 'vitest';
import { startAdministration } from '../helpers/administration.js';
import { openSignedIn, useBrowser } from '../helpers/browser.js';

useBrowser();

const root = { userId: 'u-root', username: 'root', origin: 'UI' as const };

it('everything works with script switched off', async () => {
  const host = await startAdministration();
  await host.made('u-bob', 'Of bob', 1, 30);
  const page = await openSignedIn(host, 'root', { script: false });

  await page.getByRole('link', { name: 'Create API key' }).click();
  await page.getByLabel('Name').fill('Export');
  await page.getByLabel('Custom').check();
  await page.getByLabel('Date and time (UTC)').fill('2026-12-24T18:30');
  await page.getByRole('button', { name: 'Create API key' }).click();
  const key = await page.getByLabel('API key', { exact: true }).inputValue();
  expect(await host.apiKeys.authenticate({ 'x-api-key': key })).toBeDefined();
  // A button that would do nothing is not shown.
  expect(await page.getByRole('button', { name: 'Copy' }).isVisible()).toBe(false);

  // The key is not left before it is said to be stored.
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await page.getByLabel('API key', { exact: true }).inputValue()).toBe(key);
  await page.getByLabel('I have stored the key in a safe place').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { name: 'Export' }).waitFor();

  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Name').fill('Import');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('“Import” has been saved.').waitFor();

  await page.getByRole('link', { name: 'API key', exact: true }).click();
  await page.getByRole('link', { name: 'All API keys' }).click();
  await page.getByLabel('Search').fill('import');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('link', { name: 'Revoke Import' }).click();
  await page.getByRole('heading', { name: 'Revoke “Import”?' }).waitFor();
  await page.getByRole('button', { name: 'Revoke API key' }).click();
  await page.getByText('“Import” has been revoked.').waitFor();
  expect(page.url()).toContain('search=import');
  expect(await host.apiKeys.authenticate({ 'x-api-key': key })).toBeUndefined();

  await page.getByRole('link', { name: 'API key audits' }).click();
  expect(await page.getByRole('row').count()).toBe(5);

  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('link', { name: 'Delete bob' }).click();
  await page.getByLabel('Type the user name to confirm').fill('bob');
  await page.getByRole('button', { name: 'Delete user' }).click();
  await page.getByText('“bob” has been deleted. 1 API key was revoked.').waitFor();
  const { items } = await host.apiKeys.list(root, { scope: 'all', status: 'Active' });
  expect(items).toEqual([]);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You have signed out.').waitFor();
});

it('a key that was made is not made again when the page is loaded again', async () => {
  const host = await startAdministration();
  const page = await openSignedIn(host, 'root', { script: false });
  await page.goto('/api-keys/new');
  await page.getByLabel('Name').fill('Export');
  await page.getByRole('button', { name: 'Create API key' }).click();
  const key = await page.getByLabel('API key', { exact: true }).inputValue();
  await page.reload();
  await page.getByText('You created “Export” just now.').waitFor();
  expect(await page.content()).not.toContain(key.slice(16));
  expect((await host.apiKeys.list(root)).items).toHaveLength(1);
});
