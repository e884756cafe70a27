import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startAdministration } from '../helpers/administration.js';
import { openBrowser, openSignedIn, signIn, useBrowser } from '../helpers/browser.js';

useBrowser();

const alice = { userId: 'u-alice', username: 'alice', origin: 'UI' as const };

async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('link', { name: 'Create API key' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('90 days').check();
  await page.getByRole('button', { name: 'Create API key' }).click();
  return await page.getByLabel('API key', { exact: true }).inputValue();
}

describe('signing in and out', () => {
  it('leads from the page that was asked for back to it, and out again', async () => {
    const host = await startAdministration();
    const page = await openBrowser(host);
    await page.goto('/api-key-audits');
    await page.getByLabel('User name').fill('alice');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The user name or the password is wrong.').waitFor();
    expect(await page.getByLabel('User name').inputValue()).toBe('alice');
    await page.getByLabel('Password').fill('pässword: with colon');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/api-key-audits');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have signed out.').waitFor();
    await page.goto('/api-keys');
    expect(page.url()).toContain('/sign-in');
  });
});

describe('creating a key', () => {
  it('shows it once, selected, and copies it with a word about it', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'alice');
    const key = await createKey(page, 'Export');
    expect(await host.apiKeys.authenticate({ 'x-api-key': key })).toBeDefined();
    const field = page.getByLabel('API key', { exact: true });
    const selected = await field.evaluate((input: HTMLInputElement) => [input.selectionStart, input.selectionEnd]);
    expect(selected).toEqual([0, key.length]);
    const status = page.getByRole('main').getByRole('status');
    expect(await status.textContent()).toBe('');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied to the clipboard.').waitFor();
    expect(await status.textContent()).toBe('Copied to the clipboard.');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  });

  it('copies without the clipboard of a secure page, too', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'alice');
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    const key = await createKey(page, 'Export');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied to the clipboard.').waitFor();
    await page.goto('/api-keys/new').catch(() => {});
    const other = await openSignedIn(host, 'bob');
    await other.getByLabel('Search').focus();
    await other.keyboard.press('Control+V');
    expect(await other.getByLabel('Search').inputValue()).toBe(key);
  });

  it('asks before the page is left by a link, and goes nowhere until told to', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'alice');
    const key = await createKey(page, 'Export');
    await page.getByRole('link', { name: 'API key audits' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without storing the key?' });
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    expect(await dialog.isVisible()).toBe(false);
    expect(await page.getByLabel('API key', { exact: true }).inputValue()).toBe(key);
    await page.getByRole('link', { name: 'API key audits' }).click();
    await dialog.getByRole('link', { name: 'Leave' }).click();
    await page.waitForURL('**/api-key-audits');
    expect(await page.content()).not.toContain(key.slice(16));
  });

  it('asks before the page is closed or loaded again', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'alice');
    await createKey(page, 'Export');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.getByLabel('API key', { exact: true }).click();
    await page.reload();
    expect(asked).toEqual(['beforeunload']);
  });

  it('lets whoever stayed sign out afterwards', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'alice');
    await createKey(page, 'Export');
    const signOut = page.getByRole('button', { name: 'Sign out' });
    const asked = page.waitForEvent('dialog');
    const stayed = signOut.click();
    await (await asked).dismiss();
    await stayed;
    await page.getByLabel('I have stored the key in a safe place').check();
    await signOut.click();
    await page.waitForURL('**/sign-in');
  });

  it('asks no more once it is stored, and ends on the page of the key', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'alice');
    const key = await createKey(page, 'Export');
    page.on('dialog', (dialog) => {
      throw new Error(`asked by a ${dialog.type()}`);
    });
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.getByLabel('API key', { exact: true }).inputValue()).toBe(key);
    await page.getByLabel('I have stored the key in a safe place').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Export' }).waitFor();
    expect(page.url()).toMatch(/\/api-keys\/[0-9A-Za-z]{12}$/);
    expect(await page.content()).not.toContain(key.slice(16));
  });

  it('loaded again, shows the page of the key and makes no second one', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'alice');
    const key = await createKey(page, 'Export');
    await page.getByLabel('I have stored the key in a safe place').check();
    await page.reload();
    await page.getByRole('heading', { name: 'Export' }).waitFor();
    await page.goBack();
    await page.goForward();
    expect(await page.content()).not.toContain(key.slice(16));
    expect((await host.apiKeys.list(alice)).items).toHaveLength(1);
  });

  it('is done once when the button is clicked twice', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'alice');
    await page.goto('/api-keys/new');
    await page.getByLabel('Name').fill('Export');
    await page.getByRole('button', { name: 'Create API key' }).dblclick();
    await page.getByText('Copy the key now').waitFor();
    expect((await host.apiKeys.list(alice)).items).toHaveLength(1);
  });

  it('can be sent again after the browser has stopped it', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'alice');
    await page.goto('/api-keys/new');
    await page.getByLabel('Name').fill('Export');
    let isFirst = true;
    await page.route('**/*', (route) => {
      if (route.request().method() !== 'POST' || !isFirst) return route.continue();
      isFirst = false; // and never answered
      return undefined;
    });
    const create = page.getByRole('button', { name: 'Create API key' });
    const isSent = page.waitForRequest((request) => request.method() === 'POST');
    await create.click({ noWaitAfter: true });
    await isSent;
    const stop = await page.context().newCDPSession(page);
    await stop.send('Page.stopLoading');
    await create.click();
    await page.getByText('Copy the key now').waitFor();
    expect((await host.apiKeys.list(alice)).items).toHaveLength(1);
  });

  it('shows the messages beside the fields and keeps what was entered; the picker appears with its choice', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'alice');
    await page.goto('/api-keys/new');
    const picker = page.getByLabel('Date and time (UTC)');
    expect(await picker.isVisible()).toBe(false);
    await page.getByLabel('Custom').check();
    await picker.fill('2027-11-22T00:00');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByText('API key name is required.').waitFor();
    await page.getByText('Expiration date cannot exceed 1 year from today.').waitFor();
    expect(await picker.inputValue()).toBe('2027-11-22T00:00');
    expect(await page.getByLabel('Name').evaluate((input) => input === document.activeElement)).toBe(true);
    await page.getByLabel('Name').fill('Export');
    await picker.fill('2027-11-21T23:59');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByText('Copy the key now').waitFor();
  });
});

describe('managing keys', () => {
  it('edits name and expiry', async () => {
    const host = await startAdministration();
    const { id } = await host.made('u-alice', 'Export', 1, 30);
    const page = await openSignedIn(host, 'alice');
    await page.getByRole('link', { name: 'Export', exact: true }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name').fill('Import');
    await page.getByLabel('1 year from today').check();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('“Import” has been saved.').waitFor();
    expect(await host.apiKeys.get(alice, id)).toMatchObject({ name: 'Import', expiresOn: '2027-11-21T23:59:59.999Z' });
  });

  it('revokes in a dialog that names the key, and not when it is cancelled', async () => {
    const host = await startAdministration();
    await host.made('u-alice', 'Export', 1, 30);
    const { id } = await host.made('u-alice', 'Import', 1, 30);
    const page = await openSignedIn(host, 'alice');
    await page.getByRole('link', { name: 'Revoke Import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke “Import”?' });
    await dialog.getByText('Created by alice').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await host.apiKeys.get(alice, id)).status).toBe('Active');
    await page.getByRole('link', { name: 'Revoke Import' }).click();
    await dialog.getByRole('button', { name: 'Revoke API key' }).click();
    await page.getByText('“Import” has been revoked.').waitFor();
    expect((await host.apiKeys.list(alice)).items.map(({ name, status }) => [name, status]).sort()).toEqual([
      ['Export', 'Active'],
      ['Import', 'Revoked'],
    ]);
  });

  it('switches, filters, sorts and searches', async () => {
    const host = await startAdministration();
    await host.made('u-root', 'Zulu', 2, 30);
    await host.made('u-alice', 'Alpha', 1, 30);
    const page = await openSignedIn(host, 'root');
    const names = () => page.locator('tbody .key-name').allTextContents();
    expect(await names()).toEqual(['Zulu']);
    await page.getByRole('link', { name: 'All API keys' }).click();
    await expect.poll(names).toEqual(['Alpha', 'Zulu']);
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click();
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click();
    await expect.poll(names).toEqual(['Zulu', 'Alpha']);
    await page.getByLabel('Search').fill('alp');
    await page.keyboard.press('Enter');
    await expect.poll(names).toEqual(['Alpha']);
    await page.getByRole('link', { name: 'Revoked' }).click();
    await page.getByText('No API key matches').waitFor();
  });

  it('deletes a user in a dialog that wants the name', async () => {
    const host = await startAdministration();
    await host.made('u-bob', 'Export', 1, 30);
    const page = await openSignedIn(host, 'root');
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('link', { name: 'Delete bob' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete “bob”?' });
    await dialog.getByLabel('Type the user name to confirm').fill('alice');
    await dialog.getByRole('button', { name: 'Delete user' }).click();
    await page.getByText('This is not the user’s name.').waitFor();
    await page.getByLabel('Type the user name to confirm').fill('bob');
    await page.getByRole('button', { name: 'Delete user' }).click();
    await page.getByText('“bob” has been deleted. 1 API key was revoked.').waitFor();
    expect(host.users.has('u-bob')).toBe(false);
  });

  it('closes a dialog by a click beside it, and not by a selection that ends there', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'root');
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('link', { name: 'Delete bob' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete “bob”?' });
    const input = dialog.getByLabel('Type the user name to confirm');
    await input.fill('bob');
    const box = (await input.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    expect([await dialog.isVisible(), await input.inputValue()]).toEqual([true, 'bob']);
    await page.mouse.click(5, box.y + box.height / 2);
    expect(await dialog.isVisible()).toBe(false);
  });

  it('throws out a user who is deleted meanwhile, at the next click', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'alice');
    host.users.delete('u-alice');
    await page.getByRole('link', { name: 'API key audits' }).click();
    await page.getByRole('heading', { name: 'Sign in to Concordat' }).waitFor();
  });

  it('two windows of one browser do not get in each other’s way', async () => {
    const host = await startAdministration();
    const { id } = await host.made('u-alice', 'Export', 1, 30);
    const page = await openSignedIn(host, 'alice');
    const other = await page.context().newPage();
    for (const window of [page, other]) await window.goto(`/api-keys/${id}/edit`);
    await page.getByLabel('Name').fill('First');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('“First” has been saved.').waitFor();
    await other.getByLabel('Name').fill('Second');
    await other.getByRole('button', { name: 'Save changes' }).click();
    await other.getByText('This key was changed while you were editing it.').waitFor();
    expect(await other.getByLabel('Name').inputValue()).toBe('Second');
    await other.getByRole('button', { name: 'Save changes' }).click();
    await other.getByText('“Second” has been saved.').waitFor();
  });

  it('a sign-in form that two windows have open works in both', async () => {
    const host = await startAdministration();
    const page = await openBrowser(host);
    const other = await page.context().newPage();
    await other.goto('/sign-in');
    await signIn(page, 'alice');
    await signIn(other, 'alice');
  });
});
