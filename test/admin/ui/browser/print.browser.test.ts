import { expect, it } from 'vitest';
import { startAdministration } from '../helpers/administration.js';
import { openSignedIn, takePicture, themes, useBrowser } from '../helpers/browser.js';

useBrowser();

it.each(themes)('a printed page has what is read, black on white, and nothing to click (%s)', async (theme) => {
  const host = await startAdministration();
  const { id } = await host.made('u-root', 'Export', 1, 30);
  const page = await openSignedIn(host, 'root', { theme, size: { width: 718, height: 1000 } });
  for (const path of ['/api-keys', `/api-keys/${id}`, '/api-key-audits', '/users']) {
    await page.goto(path);
    await page.emulateMedia({ media: 'print', colorScheme: theme });
    const shown = await page.locator('button, .button, select, nav, search, .back-link').all();
    expect(await Promise.all(shown.map((one) => one.isVisible())), path).not.toContain(true);
    expect(await page.getByRole('heading', { level: 1 }).isVisible(), path).toBe(true);
    const looks = await page.evaluate(() =>
      [...document.querySelectorAll('body, body *')].map((element) => {
        const { color, backgroundColor } = getComputedStyle(element);
        return `${color} on ${backgroundColor}`;
      }),
    );
    expect([...new Set(looks)], path).toEqual(['rgb(0, 0, 0) on rgba(0, 0, 0, 0)']);
    await takePicture(page, `print${path.replace(id, 'key').replaceAll('/', '-')}-${theme}`);
    await page.emulateMedia({ media: 'screen' });
  }
  await page.goto('/api-keys');
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByText('Export', { exact: true }).isVisible()).toBe(true);
});
