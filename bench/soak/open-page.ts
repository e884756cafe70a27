import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export interface OpenPage {
  /** Loads it again. @returns what is wrong with it. */
  reload(): Promise<string | undefined>;
  close(): Promise<void>;
}

const patienceMs = 120_000;
const browserPath = process.env.CONCORDAT_CHROMIUM ?? '/usr/bin/chromium';

/** The list of keys in Chromium, signed in; `undefined` where there is no Chromium. */
export async function openPage(url: string, password: string): Promise<OpenPage | undefined> {
  if (!existsSync(browserPath)) return undefined;
  const { chromium } = await import('playwright-core');
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  const browser = await chromium.launch({ executablePath: browserPath, args, timeout: patienceMs });
  const page = await browser.newPage();
  page.setDefaultTimeout(patienceMs);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${url}/sign-in`);
  await page.getByLabel('User name').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/api-keys');
  return {
    async reload() {
      const givesUpAt = performance.now() + patienceMs;
      for (;;) {
        // The line may be cut, or the disk full: then it is a page that says so.
        await page.goto(`${url}/api-keys?scope=all`).catch(() => {});
        if (problems.length > 0) return problems.join('; ');
        if ((await page.getByRole('heading', { level: 1 }).count()) === 1) return undefined;
        if (performance.now() > givesUpAt) return `it shows ${page.url()}: ${await page.title()}`;
        await pause(500);
      }
    },
    close: () => browser.close(),
  };
}
