import { describe, expect, it } from 'vitest';
import {
  expectAccessible,
  expectToFit,
  openBrowser,
  phone,
  takePicture,
  themes,
  useBrowser,
} from '../admin/ui/helpers/browser.js';
import { startEmptyHost } from './start-host.js';

useBrowser();

describe('the example host', () => {
  it.each(themes)('in its own colors: sign in, make a key, sign out (%s)', async (theme) => {
    const page = await openBrowser(await startEmptyHost(), { theme, path: '/settings' });
    await page.getByRole('button', { name: 'Sign in as ada' }).click();
    await page.waitForURL('**/settings/api-keys');
    await page.getByRole('link', { name: 'Create API key', exact: true }).click();
    await page.getByLabel('Name').fill('Nightly export');
    await expectAccessible(page);
    await takePicture(page, `host-create-${theme}`);
    await page.getByRole('button', { name: 'Create API key' }).click();
    expect(await page.getByLabel('API key', { exact: true }).inputValue()).toMatch(/^acme_/);
    await page.getByLabel('I have stored the key in a safe place').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Acme' }).click();
    await page.waitForURL('**/settings/api-keys');
    await expectAccessible(page);
    await takePicture(page, `host-list-${theme}`);
    await page.setViewportSize(phone);
    await expectToFit(page);
    await page.getByRole('link', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in as sam' }).waitFor();
  });
});
