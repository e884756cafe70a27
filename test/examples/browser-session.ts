/** The administration UI as a browser without script uses it: cookies are kept, forms are sent with their token. */
export class BrowserSession {
  readonly #cookies = new Map<string, string>();

  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async get(url: string): Promise<{ status: number; location: string | null; html: string }> {
    return await this.#send(url, {});
  }

  /** Reads the page, and sends its form with these fields. */
  async submit(url: string, fields: Readonly<Record<string, string>>) {
    const { status, html } = await this.get(url);
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1];
    if (token === undefined) throw new Error(`No form at ${url}: ${status}`);
    return await this.#send(url, { method: 'POST', body: new URLSearchParams({ token, ...fields }) });
  }

  async signIn(url: string, username: string, password: string): Promise<void> {
    const { status, location } = await this.submit(`${url}/sign-in`, { username, password });
    if (status !== 303) throw new Error(`Signing in as ${username}: ${status} ${location}`);
  }

  async #send(url: string, init: RequestInit) {
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie: this.cookies } });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    return { status: response.status, location: response.headers.get('location'), html: await response.text() };
  }
}
