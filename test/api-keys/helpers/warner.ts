// Runs in a process of its own, whose clock is some days ahead: prints every warning before an expiry, and dies in the
// middle of the one of the key that it is told.
import { writeSync } from 'node:fs';
import { openApiKeys } from 'concordat/api-keys';

const [url = '', daysAhead, diesAt] = process.argv.slice(2);
const aheadMs = Number(daysAhead) * 86_400_000;

await openApiKeys({
  database: url,
  edition: 'Professional',
  clock: { now: () => Date.now() + aheadMs },
  async onExpiring({ apiKey: { name }, days }) {
    if (name === diesAt) process.kill(process.pid, 'SIGKILL');
    // Long enough for the others to meet the same key.
    await new Promise((resolve) => setTimeout(resolve, 5));
    writeSync(1, `${JSON.stringify(`${name} ${days}`)}\n`);
  },
});
setInterval(() => {}, 1000);
