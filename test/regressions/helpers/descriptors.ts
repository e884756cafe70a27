// Runs in a process of its own with --expose-gc: uses a database, closes it, and prints what is still open of it.
import { readdirSync, readlinkSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { openApiKeys } from 'concordat/api-keys';

const [database = ''] = process.argv.slice(2);
const ada = { userId: 'u-ada', username: 'ada' };

/** The endings of the files of the database that this process has open: '', '-wal', '-shm'. */
function openFiles(): string[] {
  const links = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return ''; // the descriptor with which the folder itself was read
    }
  });
  return links.filter((link) => link.startsWith(database)).map((link) => link.slice(database.length));
}

const apiKeys = await openApiKeys({ database, edition: 'Professional' });
const { key } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
await apiKeys.authenticate({ 'x-api-key': key });
const whileOpen = openFiles();
await apiKeys.close();
const afterClose = openFiles();
// The database of Node 20 has statements that nothing but the collector ends; closed for good or not, they must not be held.
globalThis.gc?.();
await setImmediate();
writeSync(1, JSON.stringify({ whileOpen, afterClose, collected: openFiles(), key, stillHeld: typeof apiKeys.close }));
