import { describe, expect, it } from 'vitest';
import { startAdmin } from './helpers/admin-host.js';

const proxied = ['x-forwarded-for', '192.0.2.1', 'x-forwarded-proto', 'https'];

async function warnings(admin: object, requests: string[][]): Promise<string[]> {
  const errors: string[] = [];
  const onError = (error: unknown) => void errors.push((error as Error).message);
  const host = await startAdmin({ admin: { onError, ...admin } });
  for (const headers of requests) await host.send({ path: '/sign-in', headers });
  return errors;
}

describe('a request that seems to come through a proxy', () => {
  it('tells once of each option that is missing there', async () => {
    expect(await warnings({}, [[], proxied, proxied])).toEqual([
      expect.stringContaining('`x-forwarded-for`, but `clientAddress` is not set'),
      expect.stringContaining('`x-forwarded-proto`, but `publicUrl` is not set'),
    ]);
  });

  it('tells nothing where the options are set, or the proxy does not end TLS', async () => {
    const options = { clientAddress: () => '192.0.2.1', publicUrl: 'https://keys.example.com' };
    expect(await warnings(options, [proxied])).toEqual([]);
    expect(await warnings({}, [['x-forwarded-proto', 'http']])).toEqual([]);
  });
});
