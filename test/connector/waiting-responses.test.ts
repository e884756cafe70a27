import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runScript } from '../helpers/run-script.js';

const source = fileURLToPath(new URL('../../src/connector/adapters/node.ts', import.meta.url));
const [first, last] = [100, 2_100];

/** In a process of its own: to count the objects of one that has run many tests takes seconds. */
const script = `
  import { createServer } from 'node:http';
  import { queryObjects } from 'node:v8';
  import { toNodeHandler } from ${JSON.stringify(source)};
  const promises = [];
  let parts = 0;
  const body = () =>
    new ReadableStream({
      pull(controller) {
        parts += 1;
        if (parts === ${first} || parts === ${last}) promises.push(queryObjects(Promise, { format: 'count' }));
        if (parts > ${last}) controller.close();
        else controller.enqueue(new Uint8Array(100));
      },
    });
  // So few bytes are held that every part waits.
  const server = createServer({ highWaterMark: 1 }, toNodeHandler(() => new Response(body())));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const response = await fetch('http://127.0.0.1:' + server.address().port);
  const { byteLength } = await response.arrayBuffer();
  process.stdout.write(JSON.stringify({ byteLength, promises }), () => process.exit());`;

test('a response that waits for its reader again and again keeps nothing of the waits', async () => {
  const { byteLength, promises } = JSON.parse(await runScript(script)) as { byteLength: number; promises: number[] };
  expect(byteLength).toBe(last * 100);
  const [before = 0, after = 0] = promises;
  expect(before).toBeGreaterThan(0);
  expect(after - before).toBeLessThan((last - first) / 10);
});
