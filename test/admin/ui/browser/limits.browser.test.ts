import { describe, expect, it } from 'vitest';
import { startAdministration } from '../helpers/administration.js';
import {
  desktop,
  expectAccessible,
  expectToFit,
  openSignedIn,
  phone,
  takePicture,
  useBrowser,
} from '../helpers/browser.js';
import { administrationWithManyUsers } from '../helpers/many-users.js';

useBrowser();

const root = { userId: 'u-root', username: 'root', origin: 'UI' as const };

describe('long names', () => {
  it('of 100 characters without a space break nothing, on a phone neither', async () => {
    const host = await startAdministration();
    const user = host.users.get('u-root')!;
    const longName = 'root-with-a-very-long-name-'.repeat(4);
    user.username = longName;
    const { apiKey } = await host.apiKeys.create(root, { name: 'W'.repeat(100), expiresOn: '2026-12-24' });
    for (const size of [phone, desktop]) {
      user.username = 'root';
      const page = await openSignedIn(host, 'root', { size });
      user.username = longName;
      for (const path of [
        '/api-keys',
        `/api-keys/${apiKey.id}`,
        `/api-keys/${apiKey.id}/edit`,
        '/api-key-audits',
        '/users',
      ]) {
        await page.goto(path);
        await expectToFit(page);
      }
      await page.goto('/api-keys');
      await takePicture(page, `list-long-name-${size.width}`);
      await page.getByRole('link', { name: 'Revoke WWW' }).click();
      const box = await page.getByRole('dialog').boundingBox();
      expect(box!.x).toBeGreaterThanOrEqual(0);
      expect(box!.x + box!.width).toBeLessThanOrEqual(size.width);
    }
  });
});

describe('a phone', () => {
  it('shows every entry of the menu without scrolling', async () => {
    const page = await openSignedIn(await startAdministration(), 'root', { size: phone });
    const entries = page.getByRole('navigation').first().getByRole('link');
    expect(await entries.allTextContents()).toContain('Users');
    for (const entry of await entries.all()) {
      const { x, width } = (await entry.boundingBox()) ?? { x: -1, width: 0 };
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(phone.width);
    }
  });
});

describe('1,000 keys', () => {
  it('are paged through by clicking, each shown once', async () => {
    const host = await startAdministration();
    for (let index = 0; index < 1000; index++) {
      await host.apiKeys.create(root, { name: `Key ${String(index).padStart(4, '0')}`, expiresOn: '2027-06-30' });
    }
    const page = await openSignedIn(host, 'root');
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click();
    await page.getByText('1,000 API keys.').waitFor();
    const seen = new Set<string>();
    const next = page.getByRole('link', { name: 'Next' });
    for (;;) {
      for (const name of await page.locator('tbody .key-name').allTextContents()) seen.add(name);
      if ((await next.count()) === 0) break;
      const before = page.url();
      await next.click();
      await page.waitForURL((url) => url.href !== before);
    }
    expect(seen.size).toBe(1000);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.getByText('Key 0974').waitFor();
    await takePicture(page, 'list-thousand-light');
  });
});

describe('5,000 users', () => {
  it.each([
    ['a phone', phone],
    ['a desktop', desktop],
  ])('on %s, one is found, and the others are paged through, by the keyboard', async (_, size) => {
    const page = await openSignedIn(await administrationWithManyUsers(), 'root', { size });
    await page.goto('/users');
    await page.getByText('1–25 of 5,000 users.').waitFor();
    await expectAccessible(page);
    await expectToFit(page);
    await page.getByRole('link', { name: 'Next' }).press('Enter');
    await page.getByText('26–50 of 5,000 users.').waitFor();
    await page.getByRole('searchbox', { name: 'Search by user name or id' }).focus();
    await page.keyboard.type('4711');
    await page.keyboard.press('Enter');
    await page.getByText('1 user.').waitFor();
    expect(await page.locator('tbody .key-name').allTextContents()).toEqual(['user 4711']);
    await expectToFit(page);
    await takePicture(page, `users-found-${size.width}`);
    await page.getByRole('link', { name: 'Delete user 4711' }).press('Enter');
    await page.getByLabel('Type the user name to confirm').fill('user 4711');
    await page.keyboard.press('Enter');
    await page.getByText('“user 4711” has been deleted.').waitFor();
    expect(new URL(page.url()).search).toBe('?search=4711');
  });
});

describe('the check for accessibility', () => {
  it('can fail (control)', async () => {
    const host = await startAdministration();
    const page = await openSignedIn(host, 'root');
    await page.evaluate(() => document.querySelector('label[for="search"]')?.remove());
    await page.locator('#search').evaluate((input) => input.removeAttribute('placeholder'));
    await expect(expectAccessible(page)).rejects.toThrow('label');
  });
});
