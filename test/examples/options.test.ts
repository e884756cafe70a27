import { describe, expect, it } from 'vitest';
import { readOptions } from '../../examples/service/options.js';

const real = { SOURCE_REPO: 'a/b', TARGET_REPO: 'c/d', GITHUB_TOKEN: 'secret-token' };

describe('the options of the service', () => {
  it('start the emulated GitHub with a small quota and short sessions when nothing is set', () => {
    const options = readOptions([], {});
    expect(options).toMatchObject({ once: false, json: false, github: undefined, quota: { requests: 120 } });
    expect(options.issues).toBeGreaterThanOrEqual(500);
  });

  it('do not turn to a real GitHub for what CI sets by itself', () => {
    const ci = { GITHUB_TOKEN: 'x', GITHUB_API_URL: 'https://api.github.com' };
    expect(readOptions([], ci).github).toBeUndefined();
    expect(readOptions([], { ...ci, ...real }).github).toMatchObject({ source: 'a/b' });
  });

  it('use another GitHub without a quota of the connector', () => {
    const options = readOptions(['--once'], { ...real, GITHUB_API_URL: 'http://127.0.0.1:1/api/v3' });
    expect(options).toMatchObject({
      quota: undefined,
      sessionMs: 3_600_000,
      github: { apiUrl: 'http://127.0.0.1:1/api/v3', token: 'secret-token', source: 'a/b', target: 'c/d' },
    });
    expect(readOptions([], real).github?.apiUrl).toBe('https://api.github.com');
  });

  it.each([
    [{ SOURCE_REPO: 'a/b' }, 'TARGET_REPO and GITHUB_TOKEN'],
    [{ GITHUB_API_URL: 'http://127.0.0.1:1' }, 'SOURCE_REPO'],
    [{ ...real, TARGET_REPO: 'A/B' }, 'two repositories'],
    [{ ...real, SOURCE_REPO: 'nonsense' }, 'SOURCE_REPO must be owner/name'],
    [{ ...real, GITHUB_API_URL: 'file:///etc' }, 'GITHUB_API_URL'],
  ])('refuse %j with code 2 and without the token', (environment, message) => {
    const read = () => readOptions([], environment);
    expect(read).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }));
    expect(read).not.toThrow('secret-token');
  });
});
