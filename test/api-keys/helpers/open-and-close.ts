// Opens a database in a process of its own, and prints what came of it.
import { writeSync } from 'node:fs';
import { openApiKeys } from 'concordat/api-keys';

const outcome = await openApiKeys({ database: process.argv[2] ?? '', edition: 'Ultimate' }).then(
  async (apiKeys) => {
    await apiKeys.close();
    return 'opened';
  },
  (error: Error) => error.message,
);
writeSync(1, outcome);
