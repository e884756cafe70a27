import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createAdmin } from 'concordat/admin';
import { describe, expect, it } from 'vitest';
import { password } from '../helpers/admin-host.js';
import { startAdministration } from './helpers/administration.js';
import { tags, textOf } from './helpers/html.js';

const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>';

/** The value of a token in the light and in the dark theme: the last declaration counts. */
function token(css: string, name: string): [string, string] {
  const dark = [...css.matchAll(/prefers-color-scheme: dark\) \{ :root \{([^}]*)/g)].map(([, block]) => block).join();
  const light = css.replaceAll(/@media \(prefers-color-scheme: dark\) \{ :root \{[^}]*\} \}/g, '');
  const last = (text: string) => [...text.matchAll(new RegExp(`--${name}: ([^;]+);`, 'g'))].at(-1)?.[1] ?? '';
  return [last(light), last(dark)];
}

function luminance(color: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = parts.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(first: string, second: string): number {
  const [high, low] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (high! + 0.05) / (low! + 0.05);
}

describe('`branding`', () => {
  it('names the product in titles, on pages, at MCP and in the OpenAPI document, and Concordat nowhere', async () => {
    const host = await startAdministration({ admin: { branding: { name: 'Acme & Söhne', logo, accent: '#0b7a5c' } } });
    const visitor = await host.visitor();
    const seen: string[] = [];
    const open = async (path: string) => seen.push((await visitor.open(path)).html);
    await open('/sign-in');
    expect(textOf(visitor.page.html)).toContain('Sign in to Acme & Söhne');
    await visitor.signIn('root', password);
    const { id } = await host.key('u-root', 'Export');
    for (const path of ['/api-keys', '/api-keys/new', `/api-keys/${id}`, '/api-key-audits', '/users', '/nowhere']) {
      await open(path);
      expect(visitor.page.html).toContain('· Acme &amp; Söhne</title>');
      const [icon] = tags(visitor.page.html, 'link').filter((tag) => tag.get('rel') === 'icon');
      const [picture] = tags(visitor.page.html, 'img');
      expect(picture?.get('src')).toBe(icon?.get('href'));
      const file = await host.send({ path: icon?.get('href') as string });
      expect([file.status, file.headers['content-type'], file.text]).toEqual([
        200,
        'image/svg+xml; charset=utf-8',
        logo,
      ]);
      // Opened as a page of its own, it runs no script either.
      expect(file.headers['content-security-policy']).toMatch(/^default-src 'none'; /);
    }
    seen.push((await host.send({ path: '/api/v1/openapi.json' })).text);
    expect(seen.at(-1)).toContain('Acme & Söhne Admin API');
    expect(seen.filter((text) => /concordat/i.test(text))).toEqual([]);

    const client = new Client({ name: 'test', version: '1' });
    const authorization = `Basic ${Buffer.from(`alice:${password}`).toString('base64')}`;
    const transport = new StreamableHTTPClientTransport(new URL(`${host.url}/mcp`), {
      requestInit: { headers: { authorization } },
    });
    await client.connect(transport as never);
    expect(client.getServerVersion()).toMatchObject({ name: 'acme-s-hne', title: 'Acme & Söhne: API keys' });
    await client.close();
  });

  it('a picture as an address is used as it is, and allowed by the policy', async () => {
    const picture = 'data:image/png;base64,iVBORw0KGgo=';
    const host = await startAdministration({ admin: { branding: { logo: picture } } });
    const visitor = await host.visitor();
    const { html, headers } = await visitor.open('/sign-in');
    expect(tags(html, 'img').map((tag) => tag.get('src'))).toEqual([picture]);
    expect(headers.get('content-security-policy')).toContain("img-src 'self' data:");
  });

  it.each(['#000000', '#ffffff', '#ffff00', '#0b7a5c', '#ff0000', '#2f52cc', '#7f7f7f', '#e4572e', '#00ffff'])(
    'the accent %s is readable as text and below text, light and dark',
    async (accent) => {
      const host = await startAdministration({ admin: { branding: { accent } } });
      const visitor = await host.visitor();
      const { html } = await visitor.open('/sign-in');
      const sheet = tags(html, 'link')
        .find((tag) => tag.get('rel') === 'stylesheet')
        ?.get('href') as string;
      const { text: css } = await host.send({ path: sheet });
      const value = (name: string) => token(css, name);
      for (const theme of [0, 1] as const) {
        const ratio = (text: string, ground: string) => contrast(value(text)[theme], value(ground)[theme]);
        for (const ground of [
          'canvas',
          'surface',
          'surface-raised',
          'surface-sunken',
          'surface-hover',
          'accent-soft',
        ]) {
          expect(ratio('accent', ground), `${ground}, ${theme}`).toBeGreaterThanOrEqual(4.5);
        }
        for (const ground of ['accent-fill', 'accent-fill-hover']) {
          expect(ratio('on-accent-fill', ground), `${ground}, ${theme}`).toBeGreaterThanOrEqual(4.5);
        }
      }
    },
  );

  it.each([
    ['name', ''],
    ['name', 'x'.repeat(101)],
    ['logo', 'https://cdn.example/logo.svg'],
    ['logo', '<script>alert(1)</script>'],
    ['accent', 'red'],
    ['accent', '#fff'],
    ['accent', '#0b7a5c; } body { display: none'],
    ['color', '#0b7a5c'],
  ])('a wrong `%s` (%j) is a TypeError that names it', async (name, value) => {
    const { apiKeys } = await startAdministration();
    const users = { findById: () => undefined, findByUsername: () => undefined };
    const create = () => createAdmin({ apiKeys, users, edition: 'Ultimate', branding: { [name]: value } });
    expect(create).toThrow(new RegExp(`^\`branding.${name}\``));
  });
});
