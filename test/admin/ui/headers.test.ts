import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { startAdministration } from './helpers/administration.js';
import { tags } from './helpers/html.js';

const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

async function everyPage(basePath = '') {
  const host = await startAdministration({ admin: { basePath } });
  const { id } = await host.made('u-root', 'Nightly export', 1, 30);
  const visitor = await host.visitor('root');
  const anonymous = await host.visitor();
  const paths = [
    '/api-keys',
    '/api-keys?scope=all',
    '/api-keys?search=nothing',
    '/api-keys/new',
    `/api-keys/${id}`,
    `/api-keys/${id}/edit`,
    `/api-keys/${id}/revoke`,
    '/api-key-audits',
    '/users',
    '/users/delete?id=u-bob',
    '/nowhere',
  ];
  const pages = [await anonymous.open(`${basePath}/sign-in`)];
  for (const path of paths) pages.push(await visitor.open(basePath + path));
  return { host, pages };
}

describe('every page', () => {
  it('allows no inline code, no frames and nothing from elsewhere', async () => {
    const { pages } = await everyPage();
    for (const { headers, html, path } of pages) {
      expect(headers.get('content-security-policy'), path).toBe(policy);
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('referrer-policy'), path).toBe('same-origin');
      expect(headers.get('cache-control'), path).toBe('no-store');
      expect(headers.get('x-frame-options'), path).toBe('DENY');
      expect(html, path).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:|https?:\/\//);
    }
  });

  it('is a whole document with a title, one heading, and a label for every field', async () => {
    const { pages } = await everyPage();
    for (const { html, path } of pages) {
      expect(html, path).toMatch(/^<!doctype html><html lang="en">/);
      expect(html, path).toMatch(/<title>[^<]+ · Concordat<\/title>/);
      expect(html.match(/<h1/g), path).toHaveLength(1);
      const labels = tags(html, 'label').map((label) => label.get('for'));
      const named = [...tags(html, 'input'), ...tags(html, 'select')].filter(
        (field) => !['hidden', 'radio', 'checkbox'].includes(field.get('type') ?? ''),
      );
      for (const field of named) expect(labels, `${path} ${field.get('name')}`).toContain(field.get('id'));
    }
  });

  it.each(['', '/admin', '/a/b'])('links and forms stay under the base path %j', async (basePath) => {
    const { pages } = await everyPage(basePath);
    for (const { html, path, status } of pages) {
      expect(status, path).toBe(path.endsWith('/nowhere') ? 404 : 200);
      expect(path.startsWith(`${basePath}/`)).toBe(true);
      const addresses = [
        ...tags(html, 'a').map((tag) => tag.get('href')),
        ...tags(html, 'link').map((tag) => tag.get('href')),
        ...tags(html, 'script').map((tag) => tag.get('src')),
        ...tags(html, 'form').map((tag) => tag.get('action') ?? `${basePath}/`),
      ];
      expect(addresses.length, path).toBeGreaterThan(3);
      for (const address of addresses) expect(address, path).toMatch(new RegExp(`^(${basePath}/|#)`));
    }
  });
});

describe('stylesheet, script and icon', () => {
  it('are served by the administration itself, may be kept for good, and are known by their ETag', async () => {
    const { host, pages } = await everyPage();
    const html = pages[0]!.html;
    const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
    expect(paths.map((path) => path.split('.').at(-1)).sort()).toEqual(['css', 'js', 'svg']);
    for (const path of paths) {
      const answer = await fetch(host.url + path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(
        /^(text\/css|text\/javascript|image\/svg\+xml); charset=utf-8$/,
      );
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const etag = answer.headers.get('etag')!;
      const known = await fetch(host.url + path, { headers: { 'if-none-match': `W/${etag}` } });
      expect([known.status, await known.text()]).toEqual([304, '']);
      const unknown = await fetch(host.url + path, { headers: { 'if-none-match': '"another"' } });
      expect(unknown.status).toBe(200);
    }
  });

  it('the script is JavaScript that compiles, and the stylesheet loads nothing', async () => {
    const { host, pages } = await everyPage();
    const [, scriptPath] = /src="([^"]+)"/.exec(pages[0]!.html)!;
    const [, stylePath] = /href="([^"]+\.css)"/.exec(pages[0]!.html)!;
    expect(() => new Script('}')).toThrow(SyntaxError);
    const script = await (await fetch(host.url + scriptPath)).text();
    expect(() => new Script(script)).not.toThrow();
    expect(await (await fetch(host.url + stylePath)).text()).not.toMatch(/@import|url\(/);
  });

  it('an asset of another name is not found', async () => {
    const host = await startAdministration();
    expect((await fetch(`${host.url}/assets/admin.css`)).status).toBe(404);
  });
});
