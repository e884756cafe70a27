// Creates keys, one after the other, until it is killed: another process that writes to the same database.
import { openApiKeys } from './package-under-test.js';
import { directory, owners } from './rows.js';

const database = process.argv[2]!;
const apiKeys = await openApiKeys({ database, edition: 'Ultimate', users: directory() });
const { id: userId, username } = owners[0]!;
const expiresOn = new Date(Date.now() + 90 * 86_400_000);
process.send?.('ready');
for (let made = 0; ; made++) {
  await apiKeys.create({ userId, username }, { name: `Writer ${process.pid} ${made}`, expiresOn });
}
