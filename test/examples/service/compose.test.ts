import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readOptions, readWorkerOptions } from '../../../examples/service/options.js';
import { root } from '../service-environment.js';

interface Service {
  image: string;
  command?: string;
  environment?: Record<string, string | number>;
  ports?: string[];
  volumes?: string[];
  working_dir?: string;
  network_mode?: string;
  depends_on?: string[] | Record<string, { condition: string }>;
  healthcheck?: { test: string };
}

const file = path.join(root, 'examples/service/compose.yaml');
const compose = parse(readFileSync(file, 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const all = Object.entries(compose.services);
const ours = all.filter(([, { image }]) => image.startsWith('node:'));
const help = readFileSync(path.join(root, 'examples/service/options.ts'), 'utf8');

const environmentOf = ({ environment = {} }: Service) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));

describe('compose.yaml', () => {
  it('starts the service and two workers from this clone, by programs that are there', () => {
    expect(ours.map(([name]) => name)).toEqual(['service', 'worker-1', 'worker-2']);
    for (const [, { command = '', volumes = [], working_dir }] of ours) {
      const [program, ...words] = command.split(' ');
      expect([program, ...words.slice(0, 2)]).toEqual(['node', '--import', 'tsx']);
      expect(existsSync(path.join(root, words[2] as string))).toBe(true);
      const [from = '', to] = volumes[0]?.split(':') ?? [];
      expect([path.resolve(path.dirname(file), from), to]).toEqual([path.resolve(root), working_dir]);
    }
  });

  it('sets nothing that the programs do not read, and all they need', () => {
    for (const [, service] of ours) {
      for (const name of Object.keys(service.environment ?? {})) expect(help).toMatch(new RegExp(`\\b${name}\\b`));
    }
    const [service, ...workers] = ours.map(([, one]) => environmentOf(one));
    const options = readOptions([], service ?? {});
    expect(options).toMatchObject({ redisUrl: 'redis://redis:6379', dataDirectory: '/data' });
    expect(options.administration).toMatchObject({ hostname: '0.0.0.0', databaseUrl: expect.any(String) });
    expect(compose.services.service?.ports).toEqual([`127.0.0.1:8080:${options.administration?.port}`]);
    const ports = workers.map((worker) => readWorkerOptions(worker).healthPort);
    expect(new Set(ports).size).toBe(2);
    for (const [index, [, { healthcheck }]] of ours.slice(1).entries()) {
      expect(healthcheck?.test).toContain(`http://127.0.0.1:${ports[index]}/health`);
    }
  });

  it('names only services and volumes that it has', () => {
    const names = new Set(Object.keys(compose.services));
    for (const [, service] of all) {
      const { depends_on: needed = [], network_mode: network = '', volumes = [] } = service;
      for (const name of Array.isArray(needed) ? needed : Object.keys(needed)) expect(names).toContain(name);
      if (network !== '') expect(names).toContain(network.replace('service:', ''));
      for (const volume of volumes.filter((one) => /^\w/.test(one))) {
        expect(compose.volumes).toHaveProperty(volume.split(':')[0] as string);
      }
      for (const value of Object.values(environmentOf(service)).filter((one) => URL.canParse(one))) {
        expect(names).toContain(new URL(value).hostname);
      }
    }
    const { POSTGRES_PASSWORD: password, POSTGRES_DB: database } = compose.services.postgres?.environment ?? {};
    const url = new URL(environmentOf(compose.services.service as Service).DATABASE_URL as string);
    expect([url.password, url.pathname]).toEqual([password, `/${database}`]);
  });
});
