import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readOptions, readWorkerOptions } from '../../../examples/service/options.js';
import { root } from '../service-environment.js';

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string;
  environment?: Record<string, string | number>;
  configs?: { source: string; target: string }[];
  ports?: string[];
  volumes?: string[];
  network_mode?: string;
  restart?: string;
  depends_on?: Record<string, { condition: string }>;
  healthcheck: { test: string; start_period: string };
}

const file = path.join(root, 'examples/service/compose.yaml');
const compose = parse(readFileSync(file, 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  configs: Record<string, unknown>;
  volumes: Record<string, unknown>;
};
const { services } = compose;
const all = Object.entries(services);
const ours = all.filter(([, { image }]) => image === services.github?.image);
const help = readFileSync(path.join(root, 'examples/service/options.ts'), 'utf8');
const dockerfile = readFileSync(path.join(root, 'examples/service/compose/Dockerfile'), 'utf8');

const environmentOf = ({ environment = {} }: Service) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));

describe('compose.yaml', () => {
  it('starts programs that are in its image', () => {
    expect(ours.map(([name]) => name)).toEqual(['github', 'service', 'worker']);
    const copied = [...dockerfile.matchAll(/^COPY --chown=node (.+) \S+$/gm)].flatMap(([, from = '']) =>
      from.split(' '),
    );
    for (const name of copied) expect(existsSync(path.join(root, name)), name).toBe(true);
    for (const [, { command = '' }] of ours) {
      const [program, ...words] = command.split(' ');
      expect([program, ...words.slice(0, 2)]).toEqual(['node', '--import', 'tsx']);
      expect(existsSync(path.join(root, words[2] as string))).toBe(true);
      expect(copied).toContain(words[2]?.split('/')[0]);
    }
  });

  it('builds that image from this clone, once, with the packages of the lock file, for a user who is not root', () => {
    const builds = all.flatMap(([, { build }]) => build ?? []);
    expect(builds).toHaveLength(1);
    const context = path.resolve(path.dirname(file), builds[0]?.context ?? '');
    expect(context).toBe(path.resolve(root));
    expect(existsSync(path.join(context, builds[0]?.dockerfile ?? ''))).toBe(true);
    expect(dockerfile).toContain('RUN npm ci ');
    expect(dockerfile.trimEnd()).toMatch(/\nUSER node$/);
    // A new volume has the owner of the directory in the image.
    const data = environmentOf(services.service as Service).CONCORDAT_DATA;
    expect(services.service?.volumes).toEqual([`data:${data}`]);
    expect(dockerfile).toContain(`-o node -g node -m 700 ${data}\n`);
  });

  it('sets nothing that the programs do not read, and all they need', () => {
    for (const [, service] of ours) {
      for (const name of Object.keys(service.environment ?? {})) expect(help).toMatch(new RegExp(`\\b${name}\\b`));
    }
    const options = readOptions([], environmentOf(services.service as Service));
    expect(options).toMatchObject({ redisUrl: 'redis://redis:6379', dataDirectory: '/data' });
    expect(options.administration).toMatchObject({ hostname: '0.0.0.0', databaseUrl: expect.any(String) });
    const worker = readWorkerOptions(environmentOf(services.worker as Service));
    expect(worker).toMatchObject({ github: options.github, connectorUrl: options.connectorUrl });
    expect(services.worker?.healthcheck.test).toContain(`http://127.0.0.1:${worker.healthPort}/health`);
  });

  it('opens one port, on this machine only', () => {
    const { administration } = readOptions([], environmentOf(services.service as Service));
    const open = all.flatMap(([, { ports = [] }]) => ports);
    expect(open).toEqual([`127.0.0.1:8080:${administration?.port}`]);
  });

  it('gives every service time to start before it is unhealthy', () => {
    for (const [name, { healthcheck }] of all) expect([name, healthcheck.start_period]).toEqual([name, '2m']);
  });

  it('restarts what has ended, and nothing lives in the network of what may end', () => {
    for (const [name, { restart, network_mode }] of all) {
      expect([name, restart, network_mode]).toEqual([name, 'unless-stopped', undefined]);
    }
  });

  it('waits for a PostgreSQL that is set up, and a redis that has loaded its data', () => {
    expect(services.postgres?.healthcheck.test).toMatch(/^pg_isready -h 127\.0\.0\.1 /);
    expect(services.redis?.healthcheck.test).toBe('redis-cli -e ping');
    for (const [, { depends_on = {} }] of all) {
      for (const { condition } of Object.values(depends_on)) expect(condition).toBe('service_healthy');
    }
    expect(Object.keys(services.service?.depends_on ?? {})).toEqual(['redis', 'postgres', 'github']);
    expect(Object.keys(services.worker?.depends_on ?? {})).toEqual(['redis', 'github']);
  });

  it('names only services, volumes and configs that it has', () => {
    for (const [, { depends_on = {}, volumes = [], configs = [], ...service }] of all) {
      for (const name of Object.keys(depends_on)) expect(services).toHaveProperty(name);
      for (const volume of volumes) expect(compose.volumes).toHaveProperty(volume.split(':')[0] as string);
      for (const { source } of configs) expect(compose.configs).toHaveProperty(source);
      for (const value of Object.values(environmentOf(service)).filter((one) => URL.canParse(one))) {
        const { hostname } = new URL(value);
        if (hostname !== '127.0.0.1') expect(services).toHaveProperty(hostname);
      }
    }
    const { POSTGRES_PASSWORD: password, POSTGRES_DB: database } = services.postgres?.environment ?? {};
    const url = new URL(environmentOf(services.service as Service).DATABASE_URL as string);
    expect([url.password, url.pathname]).toEqual([password, `/${database}`]);
  });
});
