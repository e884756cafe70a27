/**
 * Resets a user's API key the way users do: with a browser, under "My account". The old key is dead at once, and Redmine
 * has a new one. There is no API for it.
 */
export async function resetApiKey(url: string, username: string, password: string): Promise<void> {
  let cookie = '';
  const visit = async (path: string, form?: Record<string, string>) => {
    const response = await fetch(url + path, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie },
      ...(form && { body: new URLSearchParams(form) }),
    });
    const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0]);
    if (cookies.length > 0) cookie = cookies.join('; ');
    const page = await response.text();
    return { status: response.status, token: /name="csrf-token" content="([^"]+)"/.exec(page)?.[1] ?? '' };
  };
  const login = await visit('/login');
  await visit('/login', { authenticity_token: login.token, username, password });
  const account = await visit('/my/account');
  const reset = await visit('/my/api_key', { authenticity_token: account.token });
  if (reset.status !== 302) throw new Error(`Resetting the API key of ${username} failed: ${reset.status}`);
}
