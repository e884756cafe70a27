import { type AdminTexts, createAdmin, englishTexts } from 'concordat/admin';
import { describe, expect, it } from 'vitest';
import { password } from '../helpers/admin-host.js';
import { startAdministration } from './helpers/administration.js';
import { tags, textOf } from './helpers/html.js';

/** Every text in brackets: what is not in brackets on a page has not come from the texts. */
function bracketed(value: unknown): unknown {
  if (typeof value === 'string') return `⟦${value}⟧`;
  if (typeof value === 'function') return (...rest: unknown[]) => `⟦${value(...rest)}⟧`;
  if (Array.isArray(value)) return value.map(bracketed);
  return Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, bracketed(one)]));
}

const texts = { ...(bracketed(englishTexts) as AdminTexts), language: 'de' };

/** What people read on a page, or have read to them, without what is in brackets. */
function withoutTexts(html: string): string {
  const attributes = ['aria-label', 'placeholder', 'title', 'data-label', 'data-copied', 'data-not-copied'];
  const read = ['a', 'button', 'td', 'nav', 'section', 'input', 'p', 'span', 'time']
    .flatMap((name) => tags(html, name))
    .flatMap((tag) => attributes.map((name) => tag.get(name) ?? ''));
  let rest = `${textOf(html.replaceAll(/<(script|pre|code)[^>]*>.*?<\/\1>/gs, ''))} ${read.join(' ')}`;
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replaceAll(/⟦[^⟦⟧]*⟧/g, ' ');
  }
  return rest;
}

describe('`texts`', () => {
  it('has every text of every page', async () => {
    const host = await startAdministration({ admin: { texts } });
    const { id } = await host.made('u-root', '7', 20, 25);
    const revoked = await host.made('u-root', '8', 20, 25);
    await host.apiKeys.revoke({ userId: 'u-root', username: 'root' }, revoked.id);
    await host.apiKeys.authenticate({ 'x-api-key': revoked.key });
    const expired = await host.made('u-root', '9', 20, 5);
    await host.apiKeys.update({ userId: 'u-root', username: 'root' }, id, { name: '77' });
    const visitor = await host.visitor();
    const found = new Set<string>();
    const look = () => {
      // Data: names of users, of origins, UTC, the product, the first letters of users; and what `Intl` says in German.
      const known =
        /\b(?:root|alice|bob|helen|mallory|UI|API|UTC|Concordat|ck_\w+|User Management – Write|r|vor|in|Tagen)\b|T\d\d:/g;
      for (const word of withoutTexts(visitor.page.html)
        .replaceAll(known, ' ')
        .match(/\p{L}{2,}/gu) ?? []) {
        found.add(`${visitor.page.path}: ${word}`);
      }
    };
    const open = async (path: string) => {
      await visitor.open(path);
      expect(tags(visitor.page.html, 'html')[0]?.get('lang')).toBe('de');
      look();
    };
    await open('/sign-in');
    await visitor.submit('/sign-in', { username: 'root', password: 'wrong' });
    look();
    await visitor.submit('/sign-in', { username: 'root', password });
    for (const path of [
      '/api-keys',
      '/api-keys?scope=all',
      '/api-keys?search=nothing',
      '/api-keys?scope=all&status=Revoked',
      '/api-keys/new',
      `/api-keys/new?replaces=${id}`,
      `/api-keys/${id}`,
      `/api-keys/${revoked.id}`,
      `/api-keys/${expired.id}`,
      `/api-keys/${id}/edit`,
      `/api-keys/${expired.id}/edit`,
      `/api-keys/${id}/revoke`,
      `/api-keys/${revoked.id}/revoke`,
      '/api-key-audits',
      `/api-key-audits?apiKeyId=${id}`,
      '/api-key-audits?find=nothing',
      '/api-key-audits?find=root',
      '/api-keys/revoke-all?user=u-bob',
      '/users',
      '/users?search=nothing',
      '/users/delete?id=u-bob',
      '/users/delete?id=u-root',
      '/nowhere',
    ]) {
      await open(path);
    }
    await visitor.open('/api-keys/new');
    await visitor.submit('/api-keys/new', { name: '', expiry: '30' });
    look();
    await visitor.submit('/api-keys/new', { name: '10', expiry: '30' });
    look();
    await visitor.open('/api-keys/new');
    await visitor.submit('/api-keys/new', { name: '10', expiry: '30' });
    look();
    await visitor.open(`/api-keys/${id}/edit`);
    await visitor.submit('/edit', { name: '78' });
    look();
    await visitor.open(`/api-keys/${id}/revoke`);
    await visitor.submit('/revoke');
    look();
    await visitor.open('/users/delete?id=u-bob');
    await visitor.submit('/users/delete', { username: '' });
    look();
    await visitor.submit('/users/delete', { username: 'bob' });
    look();
    await visitor.submit('/sign-out');
    look();
    expect([...found]).toEqual([]);
  });

  it('some may be replaced, messages included; the others stay English', async () => {
    const message = (english: string) => (english === 'API key name is required.' ? 'Der Name fehlt.' : english);
    const host = await startAdministration({ admin: { texts: { createApiKey: 'Schlüssel anlegen', message } } });
    const visitor = await host.visitor('alice');
    expect(textOf(visitor.page.html)).toContain('Schlüssel anlegen');
    expect(textOf(visitor.page.html)).toContain('You have no API keys yet');
    await visitor.open('/api-keys/new');
    const { html } = await visitor.submit('/api-keys/new', { name: '', expiry: '30' });
    expect(textOf(html)).toContain('Der Name fehlt.');
  });

  it('an origin has one name, in the table of audits and in its filter', async () => {
    const origins = { UI: 'Seiten', API: 'Schnittstelle', MCP: 'Assistent', System: 'Dienst' };
    const host = await startAdministration({ admin: { texts: { origins } } });
    await host.made('u-alice', 'By page', 1, 30);
    const { key } = await host.made('u-alice', 'Acting', 1, 30);
    await host.as(key, 'POST', '/api-keys', { name: 'By key', expiresOn: new Date(host.clock.now() + 86_400_000) });
    const text = textOf((await (await host.visitor('alice')).open('/api-key-audits')).html);
    expect(text).toContain('by Seiten');
    expect(text).toContain('by Schnittstelle, with the key Acting');
    expect(text).not.toMatch(/by (?:UI|API)/);
  });

  it('the title of a dialog may have its value several times, or not at all', async () => {
    for (const [title, slots] of [
      [(name: string) => `${name}: revoke “${name}” now?`, '<span data-slot="name"></span>'],
      [() => 'Revoke it?', ''],
    ] as const) {
      const host = await startAdministration({ admin: { texts: { revokeQuestion: title } } });
      await host.made('u-alice', 'Export', 1, 30);
      const { html } = await (await host.visitor('alice')).open('/api-keys');
      expect(html).toContain(`<h2 id="revoke-dialog-title">${title(slots)}</h2>`);
    }
  });

  it('times are in words of the language', async () => {
    const months = ['Jan.', 'Feb.', 'März', 'Apr.', 'Mai', 'Juni', 'Juli', 'Aug.', 'Sep.', 'Okt.', 'Nov.', 'Dez.'];
    const host = await startAdministration({ admin: { texts: { language: 'de', months } } });
    await host.made('u-alice', 'Export', 0, 24);
    const visitor = await host.visitor('alice');
    expect(textOf(visitor.page.html)).toContain('in 24 Tagen 15 Dez. 2026');
  });

  it('is text: nothing in it becomes HTML', async () => {
    const host = await startAdministration({ admin: { texts: { signIn: '<img src=x>', signInTo: () => '<script>' } } });
    const { html } = await (await host.visitor()).open('/sign-in');
    expect(html).not.toContain('<img src=x>');
    expect(html).not.toContain('<script>');
  });

  const ofItsKind = 'must have the type, and all parts, of the one in `englishTexts`.';

  it.each([
    ['a misspelt name', { createApiKeyy: 'x' }, '`texts.createApiKeyy` is not an option: did you mean `createApiKey`?'],
    ['another case', { signin: 'Anmelden' }, '`texts.signin` is not an option: did you mean `signIn`?'],
    ['two names', { foo: '', toString: '' }, '`texts.foo`, `texts.toString` are not options: there are '],
    ['text in place of a function', { signInTo: 'Anmelden' }, `\`texts.signInTo\` ${ofItsKind}`],
    ['nothing in place of a text', { signIn: undefined }, `\`texts.signIn\` ${ofItsKind}`],
    ['a record with a part missing', { expiryChoices: { '7': '7 Tage' } }, `\`texts.expiryChoices\` ${ofItsKind}`],
    ['no language', { language: '"><script>' }, '`texts.language` must be a language tag such as `de`.'],
    ['no object', 'de', '`texts` must be an object.'],
  ])('%s is a TypeError that names it', async (_, wrong, message) => {
    const { apiKeys } = await startAdministration();
    const users = { findById: () => undefined, findByUsername: () => undefined };
    const create = () => createAdmin({ apiKeys, users, edition: 'Ultimate', texts: wrong as never });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
    expect(create).not.toThrow(/.{250}/);
  });
});
