import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { password } from '../../helpers/admin-host.js';
import { startAdministration } from '../helpers/administration.js';
import { openBrowser, openSignedIn, useBrowser } from '../helpers/browser.js';

useBrowser();

/** What has the focus, as it is read out, roughly. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const label = (element as HTMLInputElement).labels?.[0]?.textContent;
    return (element.getAttribute('aria-label') ?? label ?? element.textContent ?? '').replace(/\s+/g, ' ').trim();
  });

/** Presses Tab until something has the focus; fails when it never gets it, or when the focus cannot be seen. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    const isVisible = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement;
      const shown = (one: Element | null) => one !== null && getComputedStyle(one).outlineStyle !== 'none';
      return element === document.body || shown(element) || shown(element.closest('label'));
    });
    expect(isVisible, `the focus on ${await focused(page)} can be seen`).toBe(true);
    if ((await focused(page)).startsWith(name)) return;
  }
  throw new Error(`The focus never came to ${name}.`);
}

it('everything works with the keyboard alone, and the focus can always be seen', async () => {
  const host = await startAdministration();
  await host.made('u-root', 'Zulu', 1, 30);
  const page = await openBrowser(host);

  await expect.poll(() => focused(page)).toBe('User name');
  await page.keyboard.type('root');
  await tabTo(page, 'Password');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/api-keys');

  // The first stop leads past the menu.
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Create API key');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/api-keys/new');

  await expect.poll(() => focused(page)).toBe('Name');
  await page.keyboard.type('Export');
  await tabTo(page, '30 days');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => focused(page)).toContain('90 days');
  await page.keyboard.press('Enter');
  await page.getByText('Copy the key now').waitFor();

  await expect.poll(() => focused(page)).toBe('API key');
  await tabTo(page, 'Copy');
  await page.keyboard.press('Enter');
  await page.getByText('Copied to the clipboard.').waitFor();
  await tabTo(page, 'I have stored the key');
  await page.keyboard.press('Space');
  await tabTo(page, 'Done');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Export' }).waitFor();

  await page.goto('/api-keys');
  await tabTo(page, 'Revoke Export');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('Cancel');
  // The focus stays in the dialog, Escape closes it, and the focus goes back to where it was.
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Revoke API key');
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('Revoke Export');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('“Export” has been revoked.').waitFor();
  // What happened has the focus, so that it is read out.
  await expect.poll(() => focused(page)).toContain('“Export” has been revoked.');
});

it('a form that was wrong has the focus on the first wrong field', async () => {
  const host = await startAdministration();
  const page = await openSignedIn(host, 'alice');
  await page.goto('/api-keys/new');
  // The browser gives the focus once it has drawn the page, which may be after `goto` is back.
  await expect.poll(() => focused(page)).toBe('Name');
  await page.keyboard.press('Enter');
  await page.getByText('API key name is required.').waitFor();
  await expect.poll(() => focused(page)).toBe('Name');
  await page.keyboard.type('Export');
  await page.getByLabel('Custom').check();
  await page.getByLabel('Name').press('Enter');
  await page.getByText('Expiry date is required.').waitFor();
  await expect.poll(() => focused(page)).toBe('Date and time (UTC)');
});

it('the arrow keys stay among the choices of an expiry; a click on Custom goes on to its field', async () => {
  const host = await startAdministration();
  const page = await openSignedIn(host, 'alice');
  await page.goto('/api-keys/new');
  const chosen = () => page.evaluate(() => (document.activeElement as HTMLInputElement).value);
  await page.getByLabel('90 days').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  expect([await page.getByLabel('Custom').isChecked(), await chosen()]).toEqual([true, 'custom']);
  await page.keyboard.press('ArrowUp');
  expect([await page.getByLabel('1 year').isChecked(), await chosen()]).toEqual([true, 'year']);
  await page.getByText('Custom').click();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('expires-on');
});

it('where the system sets the colors, the current entries are still told from the others', async () => {
  const host = await startAdministration();
  const page = await openSignedIn(host, 'root');
  await page.emulateMedia({ forcedColors: 'active' });
  for (const list of ['.menu', '.segments']) {
    const outlines = await page
      .locator(`${list} a`)
      .evaluateAll((links) =>
        links.map((link) => [link.hasAttribute('aria-current'), getComputedStyle(link).outlineStyle]),
      );
    expect(outlines.length).toBeGreaterThan(2);
    for (const [isCurrent, outline] of outlines) expect(outline).toBe(isCurrent === true ? 'solid' : 'none');
  }
});
