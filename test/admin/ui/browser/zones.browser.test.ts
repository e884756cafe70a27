import { describe, expect, it } from 'vitest';
import { startAdministration } from '../helpers/administration.js';
import { openSignedIn, useBrowser } from '../helpers/browser.js';

useBrowser();

describe('times', () => {
  it.each([
    ['Asia/Tokyo', '1 Jan 2027, 07:30:00 GMT+9'],
    ['America/New_York', '31 Dec 2026, 17:30:00 GMT-5'],
    ['UTC', '31 Dec 2026, 22:30:00 UTC'],
  ])('are in UTC on every page, as in its forms, with the zone of a reader in %s in the title', async (zone, local) => {
    const host = await startAdministration();
    const { apiKey } = await host.apiKeys.create(
      { userId: 'u-alice', username: 'alice' },
      { name: 'Export', expiresOn: '2026-12-31T22:30:00Z' },
    );
    const page = await openSignedIn(host, 'alice', { zone });
    const time = page.locator(`time[datetime="${apiKey.expiresOn}"]`).first();
    expect(await time.locator('.second-line').textContent()).toBe('31 Dec 2026, 22:30');
    expect(await page.getByText('All times are in UTC.').count()).toBe(1);
    expect(await time.getAttribute('title')).toBe(local);
    await page.goto(`/api-keys/${apiKey.id}`);
    const full = page.locator(`time[datetime="${apiKey.expiresOn}"]`).first();
    expect((await full.textContent())?.trim()).toBe('31 Dec 2026, 22:30:00 UTC');
    expect(await full.getAttribute('title')).toBe(local);
    await page.goto('/api-key-audits');
    const audited = page.locator(`time[datetime="${apiKey.expiresOn}"]`);
    expect((await audited.textContent())?.trim()).toBe('31 Dec 2026, 22:30 UTC');
    await page.goto(`/api-keys/${apiKey.id}/edit`);
    await page.getByText('31 Dec 2026, 22:30 UTC').waitFor();
    expect(await page.getByLabel('Date and time (UTC)').inputValue()).toBe('2026-12-31T22:30');
    // The clock of the tests is at 21 Nov 2026, 09:00.
    await page.goto('/api-keys/new');
    await page.getByText('28 Nov 2026, 23:59 UTC').waitFor();
    await page.getByText('until 21 Nov 2027, 23:59 UTC').waitFor();
  });

  it('are in UTC without script', async () => {
    const host = await startAdministration();
    await host.made('u-alice', 'Export', 0, 30);
    const page = await openSignedIn(host, 'alice', { zone: 'Asia/Tokyo', script: false });
    const time = page.locator('time').first();
    expect(await time.locator('.second-line').textContent()).toBe('21 Nov 2026, 09:00');
    expect(await time.getAttribute('title')).toBe('21 Nov 2026, 09:00:00 UTC');
  });
});
