import { type Form, readForms } from './html.js';

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Path and query. */
  readonly path: string;
}

/** A browser without script: cookies, redirects, forms. */
export class Visitor {
  readonly cookies: Map<string, string>;
  /** Every `set-cookie` that came. */
  readonly setCookies: string[] = [];
  page: Page = { status: 0, headers: new Headers(), html: '', path: '' };
  readonly #url: string;

  /** With the cookies of another visitor, it is the same browser at another port. */
  constructor(url: string, cookies = new Map<string, string>()) {
    this.#url = url;
    this.cookies = cookies;
  }

  /** The whole name of a cookie, which may end with a mark of the administration. */
  nameOf(cookie: string): string {
    const found = [...this.cookies.keys()].find((name) => name.startsWith(cookie));
    if (found === undefined) throw new Error(`There is no cookie ${cookie}.`);
    return found;
  }

  async open(path: string, init: RequestInit = {}): Promise<Page> {
    const page = await this.request(path, init);
    const location = page.headers.get('location');
    if (location === null) return page;
    return await this.open(location);
  }

  /** One request; redirects are not followed. */
  async request(path: string, init: RequestInit = {}): Promise<Page> {
    const url = new URL(path, new URL(this.page.path, this.#url));
    const headers = new Headers(init.headers);
    const cookies = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (cookies !== '') headers.set('cookie', cookies);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const html = await response.text();
    this.page = { status: response.status, headers: response.headers, html, path: url.pathname + url.search };
    return this.page;
  }

  #keep(line: string): void {
    this.setCookies.push(line);
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (name === undefined || value === undefined) return;
    if (/max-age=0/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  /** The form on the present page whose action contains this text. */
  form(action: string): Form {
    const found = readForms(this.page.html).find((form) => form.action.includes(action));
    if (found === undefined) throw new Error(`There is no form for ${action} on ${this.page.path}.`);
    return found;
  }

  /** Fills in a form of the present page and sends it; redirects are followed. */
  async submit(
    action: string,
    values: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Page> {
    const form = this.form(action);
    for (const [name, value] of Object.entries(values)) form.fields.set(name, value);
    if (form.method === 'get') return await this.open(`${form.action}?${form.fields}`);
    return await this.open(form.action, { method: 'POST', body: form.fields, headers });
  }

  async signIn(username: string, password: string, basePath = ''): Promise<Page> {
    await this.open(`${basePath}/sign-in`);
    return await this.submit('/sign-in', { username, password });
  }
}
