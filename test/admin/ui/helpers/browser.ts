import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { imagesShown } from '../../../helpers/docs-images.js';
import { password } from '../../helpers/admin-host.js';
import type { Administration } from './administration.js';

export const phone = { width: 375, height: 780 };
export const desktop = { width: 1280, height: 860 };
export const themes = ['light', 'dark'] as const;

const pictures = process.env.CONCORDAT_SCREENSHOTS ?? 'test-results';
/** Where the pictures of the docs go: `npm run docs:pictures` sets it. */
const docsPictures = process.env.CONCORDAT_DOCS_PICTURES;
// What the script itself comes to is of no use, and sending all of it from the browser takes longer than any check.
const axe = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')};undefined`;

interface PageOptions {
  readonly theme?: 'light' | 'dark';
  readonly size?: { width: number; height: number };
  /** The system sets the colors, as with Windows' high contrast. @default false */
  readonly forcedColors?: boolean;
  readonly script?: boolean;
  /** Ignores the content security policy, which would hide that a page does not escape. @default false */
  readonly bypassPolicy?: boolean;
  /** @default UTC */
  readonly zone?: string;
  /** @default the sign-in page */
  readonly path?: string;
}

let browser: Browser;
const contexts: BrowserContext[] = [];
/** What must not happen on any page: errors, refusals by the policy, requests to anywhere else. */
const problems: string[] = [];

/** Call once in a file of tests. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env.CONCORDAT_CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(async () => {
    await browser.close();
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    expect(problems.splice(0)).toEqual([]);
  });
}

/** What must not happen and has happened, for a test that makes it happen. */
export const takeProblems = (): string[] => problems.splice(0);

/** A browser of its own on the sign-in page of an administration. */
export async function openBrowser(
  host: Pick<Administration, 'url'>,
  {
    theme = 'light',
    size = desktop,
    forcedColors = false,
    script = true,
    bypassPolicy = false,
    zone = 'UTC',
    path: start = '/sign-in',
  }: PageOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: host.url,
    colorScheme: theme,
    viewport: size,
    forcedColors: forcedColors ? 'active' : 'none',
    javaScriptEnabled: script,
    bypassCSP: bypassPolicy,
    reducedMotion: 'reduce',
    timezoneId: zone,
    deviceScaleFactor: size.width < 500 ? 2 : 1,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  contexts.push(context);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A browser says of every answer from 400 up that loading failed.
    const isStatus = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isStatus) problems.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(host.url) && !request.url().startsWith('data:'))
      problems.push(`request: ${request.url()}`);
  });
  await page.goto(start);
  return page;
}

export async function signIn(page: Page, username: string): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/api-keys');
}

export async function openSignedIn(host: Administration, username: string, options?: PageOptions): Promise<Page> {
  const page = await openBrowser(host, options);
  await signIn(page, username);
  return page;
}

interface Axe {
  run(options: { resultTypes: string[] }): Promise<{
    violations: { id: string; help: string; nodes: { html: string }[] }[];
    passes: unknown[];
  }>;
}

/** No violation of any of axe-core's rules. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe);
  const { found, passed } = await page.evaluate(async () => {
    // Only of violations are all the places looked up: of what passes, the number is enough.
    const { violations, passes } = await (window as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] });
    return {
      found: violations.map(({ id, help, nodes }) => [id, help, ...nodes.map(({ html }) => html)]),
      passed: passes.length,
    };
  });
  expect(found, `${page.url()}`).toEqual([]);
  expect(passed).toBeGreaterThan(10);
}

/** The page is no wider than its window. */
export async function expectToFit(page: Page): Promise<void> {
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(excess, `${page.url()} is wider than the window`).toBe(0);
}

/** Saves a picture to the folder that `CONCORDAT_SCREENSHOTS` names, and those that the docs show for the docs. */
export async function takePicture(page: Page, name: string, fullPage = true): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage });
  if (docsPictures === undefined || !imagesShown().has(`${name}.webp`)) return;
  // Playwright's own pictures are PNG or JPEG only; these are a quarter of that.
  const browserItself = await page.context().newCDPSession(page);
  const { cssContentSize } = await browserItself.send('Page.getLayoutMetrics');
  const { data } = await browserItself.send('Page.captureScreenshot', {
    ...{ format: 'webp', quality: 80 },
    ...(fullPage && { captureBeyondViewport: true, clip: { ...cssContentSize, scale: 1 } }),
  });
  writeFileSync(path.join(docsPictures, `${name}.webp`), Buffer.from(data, 'base64'));
}
