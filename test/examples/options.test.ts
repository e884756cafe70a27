import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOptions, readWorkerOptions } from '../../examples/service/options.js';

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
    [{ CONNECTOR_URL: 'connector:4000' }, 'CONNECTOR_URL must be an http or https URL'],
    [{ REDIS_URL: 'http://:secret-token@redis' }, 'REDIS_URL must be a redis:// URL'],
  ])('refuse %j with code 2 and without the token', (environment, message) => {
    const read = () => readOptions([], environment);
    expect(read).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }));
    expect(read).not.toThrow('secret-token');
  });
});

describe('the options of a worker', () => {
  const redis = { REDIS_URL: 'redis://127.0.0.1' };

  it('have defaults, and come from the environment', () => {
    expect(readWorkerOptions(redis)).toMatchObject({ concurrency: 8, lockMs: 60_000, healthPort: undefined });
    const environment = { ...redis, CONCURRENCY: '3', LOCK_MS: '5000', HEALTH_PORT: '0' };
    expect(readWorkerOptions(environment)).toMatchObject({ concurrency: 3, lockMs: 5000, healthPort: 0 });
  });

  it.each([
    [{}, 'REDIS_URL'],
    [{ ...redis, CONCURRENCY: 'many' }, 'CONCURRENCY must be a whole number of at least 1'],
    [{ ...redis, CONCURRENCY: '0' }, 'CONCURRENCY'],
    [{ ...redis, LOCK_MS: '1m' }, 'LOCK_MS must be a whole number of at least 1'],
    [{ ...redis, HEALTH_PORT: '65536' }, 'HEALTH_PORT'],
  ])('refuse %j with code 2', (environment, message) => {
    expect(() => readWorkerOptions(environment)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }),
    );
  });
});

describe('the options of the administration', () => {
  const read = (argv: string[], environment = {}) => readOptions(argv, environment).administration;

  it('serve it on port 8080, from ./.data, as Professional, when nothing is set', () => {
    expect(read([])).toEqual({
      port: 8080,
      dataDirectory: path.resolve('.data'),
      databaseUrl: undefined,
      edition: 'Professional',
      passwords: { admin: undefined, uma: undefined, sam: undefined },
    });
  });

  it('leave it out with --once and --no-admin, and serve it with --once --admin', () => {
    expect(read(['--once'])).toBeUndefined();
    expect(read(['--no-admin'])).toBeUndefined();
    expect(read(['--once', '--admin'])).toMatchObject({ port: 8080 });
  });

  it('come from the environment, and from the command line before that', () => {
    const environment = { PORT: '0', CONCORDAT_DATA: '/srv/a', DATABASE_URL: 'postgresql://h/db' };
    expect(read([], environment)).toMatchObject({
      port: 0,
      dataDirectory: '/srv/a',
      databaseUrl: 'postgresql://h/db',
    });
    expect(read(['--port', '9000', '--data', '/srv/b'], environment)).toMatchObject({
      port: 9000,
      dataDirectory: '/srv/b',
    });
    const passwords = { CONCORDAT_ADMIN_PASSWORD: 'a', CONCORDAT_MANAGER_PASSWORD: 'u', CONCORDAT_USER_PASSWORD: '' };
    expect(read([], passwords)?.passwords).toEqual({ admin: 'a', uma: 'u', sam: undefined });
  });

  it.each([
    [{ PORT: 'http' }, 'PORT must be a number from 0 to 65535'],
    [{ PORT: '65536' }, 'PORT'],
    [{ DATABASE_URL: 'file:secret-token' }, 'DATABASE_URL must be a postgres:// URL'],
  ])('refuse %j with code 2, but not when the administration is left out', (environment, message) => {
    expect(() => read([], environment)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }),
    );
    expect(() => read([], environment)).not.toThrow('secret-token');
    expect(read(['--once'], environment)).toBeUndefined();
  });
});
