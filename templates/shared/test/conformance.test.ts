import { conformance } from 'concordat/conformance';
import { afterAll, test } from 'vitest';
import config from '../concordat.config.js';
import { start } from '../src/connector.js';

const server = await start({ port: 0 });
afterAll(() => server.close());

test.each(conformance({ ...config, baseUrl: server.url }))('$id: $title', ({ run }) => run());
