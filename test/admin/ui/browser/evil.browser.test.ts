// Nothing that users, programs or visitors say becomes markup or runs: in a real browser, on every page, in every dialog
// and in the answer to every form, with the content security policy and without it.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { password } from '../../helpers/admin-host.js';
import { openBrowser, takeProblems, useBrowser } from '../helpers/browser.js';
import { everyPage, evil } from '../helpers/every-page.js';

useBrowser();

/** What the browser has made of a page that was not meant: elements, handlers, addresses elsewhere, scripts. */
function intruders(): string[] {
  const found: string[] = [];
  for (const element of document.querySelectorAll('*')) {
    if (element.localName === 'x-evil' || (element.localName === 'script' && !element.getAttribute('src'))) {
      found.push(element.outerHTML);
    }
    for (const { name, value } of element.attributes) {
      const isAddress = ['href', 'src', 'action', 'formaction', 'srcdoc', 'style'].includes(name);
      if (/^on/.test(name) || (isAddress && new URL(value, location.href).origin !== location.origin)) {
        found.push(`${element.localName} ${name}=${value}`);
      }
    }
  }
  return found;
}

async function openEvery(policy: 'on' | 'off') {
  const every = await everyPage();
  const page = await openBrowser(every.host, { bypassPolicy: policy === 'off' });
  const ran: string[] = [];
  await page.exposeFunction('hacked', () => ran.push(page.url()));
  const signIn = async () => {
    await page.goto('/sign-in');
    await page.getByLabel('User name').fill(evil);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/api-keys');
  };
  return { every, page, ran, signIn };
}

async function expectText(page: Page): Promise<void> {
  expect(await page.evaluate(intruders), page.url()).toEqual([]);
  // Of the product and the user, on every page: the check sees what it looks for.
  expect(await page.title()).toContain(evil);
}

describe.each(['on', 'off'] as const)('with the policy %s', (policy) => {
  it('every page and every dialog shows it as text', { timeout: 600_000 }, async () => {
    const { every, page, ran, signIn } = await openEvery(policy);
    const paths = Object.values(every.pages).flat();
    // Files are saved, not shown.
    const [strangers, others] = [
      paths.filter((path) => path.startsWith('/sign-in')),
      paths.filter((path) => !/^\/sign-in|\/export\?/.test(path)),
    ];
    for (const path of strangers) {
      await page.goto(path);
      await expectText(page);
    }
    await signIn();
    const opened = new Set<string>();
    for (const path of others) {
      await page.goto(path);
      await expectText(page);
      for (const opener of await page.locator('[data-dialog]').all()) {
        const name = (await opener.getAttribute('data-name')) ?? '';
        if (opened.has(name)) continue;
        opened.add(name);
        await opener.click();
        expect(await page.getByRole('dialog').getByRole('heading').textContent()).toContain(name);
        await expectText(page);
        await page.keyboard.press('Escape');
      }
    }
    expect([...opened].filter((name) => name.startsWith(evil)).length).toBeGreaterThan(3);
    expect(ran).toEqual([]);
  });

  it.each([
    ['as it is meant to be filled in', false],
    ['with this text in every field', true],
  ])('the answer to every form, %s, shows it as text', { timeout: 600_000 }, async (_, isEvil) => {
    const { every, page, ran, signIn } = await openEvery(policy);
    page.on('dialog', (dialog) => void dialog.accept());
    for (const [route, form] of Object.entries(every.forms)) {
      const isSignedIn = (await page.context().cookies()).some(({ name }) => name.startsWith('concordat_session'));
      if (route === 'POST /sign-in') await page.context().clearCookies();
      else if (!isSignedIn) await signIn();
      await page.goto(form.page);
      const found = page.locator(`form[action*="${form.action}"]`).last();
      for (const field of await found.locator('input[type="text"], input[type="search"], textarea').all()) {
        if (isEvil) await field.fill(evil);
      }
      for (const [name, value] of Object.entries(isEvil ? {} : form.values)) {
        const choice = found.locator(`[name="${name}"][value="${value}"][type="radio"]`);
        if (name === 'expiry') await choice.check();
        else await found.locator(`[name="${name}"]`).fill(value);
      }
      await Promise.all([page.waitForNavigation(), found.evaluate((element: HTMLFormElement) => element.submit())]);
      await expectText(page);
    }
    expect(ran).toEqual([]);
  });
});

describe('the checks can fail (control)', () => {
  it('a page that escapes nothing runs it without the policy', async () => {
    const { page, ran, signIn } = await openEvery('off');
    await signIn();
    await page.goto('/orders/unsafe');
    await expect.poll(() => ran.length).toBeGreaterThan(0);
    expect(await page.evaluate(intruders)).not.toEqual([]);
  });

  it('with the policy alone, it still does not run', async () => {
    const { page, ran, signIn } = await openEvery('on');
    await signIn();
    await page.goto('/orders/unsafe');
    expect(await page.evaluate(intruders)).not.toEqual([]);
    await expect.poll(() => takeProblems().join()).toContain('Content Security Policy');
    expect(ran).toEqual([]);
  });
});
