import { describe, expect, it } from 'vitest';
import { startAdministration } from '../helpers/administration.js';
import { openSignedIn, useBrowser } from '../helpers/browser.js';

useBrowser();

describe('times', () => {
  it.each([
    ['Asia/Tokyo', '1 Jan 2027, 07:30', '1 Jan 2027, 07:30:00 GMT+9'],
    ['America/New_York', '31 Dec 2026, 17:30', '31 Dec 2026, 17:30:00 GMT-5'],
    ['UTC', '31 Dec 2026, 22:30', '31 Dec 2026, 22:30:00 UTC'],
  ])('are in the zone of a reader in %s, with UTC in the title', async (zone, minute, exact) => {
    const host = await startAdministration();
    const { apiKey } = await host.apiKeys.create(
      { userId: 'u-alice', username: 'alice' },
      { name: 'Export', expiresOn: '2026-12-31T22:30:00Z' },
    );
    const page = await openSignedIn(host, 'alice', { zone });
    const time = page.locator(`time[datetime="${apiKey.expiresOn}"]`).first();
    expect(await time.locator('[data-time]').textContent()).toBe(minute);
    expect(await time.getAttribute('title')).toBe('31 Dec 2026, 22:30:00 UTC');
    expect(await page.locator('[data-zone]').textContent()).toBe(
      `Times are in your time zone, ${zone}; hover over one to see it in UTC.`,
    );
    await page.goto(`/api-keys/${apiKey.id}`);
    const full = page.locator(`time[datetime="${apiKey.expiresOn}"]`).first();
    expect((await full.textContent())?.trim()).toBe(exact);
    expect(await full.getAttribute('title')).toBe('31 Dec 2026, 22:30:00 UTC');
  });

  it('are in UTC without script', async () => {
    const host = await startAdministration();
    await host.made('u-alice', 'Export', 0, 30);
    const page = await openSignedIn(host, 'alice', { zone: 'Asia/Tokyo', script: false });
    expect(await page.locator('[data-zone]').textContent()).toBe('All times are in UTC.');
    expect(await page.locator('[data-time]').first().textContent()).toBe('21 Nov 2026, 09:00');
  });
});
