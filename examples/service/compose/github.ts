import { once } from 'node:events';
import { serve } from 'concordat/connector';
import { createGitHubConnector } from '../../github/connector.js';
import { startEmulatedGitHub } from '../emulated-github.js';
import { readOptions } from '../options.js';
import { runProcess } from '../process.js';

const ports = { connector: 4000, github: 4001 };

/** The emulated GitHub with its connector, apart from the service: a run goes on when that ends, and starts again. */
await runProcess(async (signal) => {
  const options = readOptions(process.argv.slice(2), {});
  const github = await startEmulatedGitHub(options.issues, ports.github);
  const onDefect = (error: unknown) => process.stderr.write(`The connector has a defect: ${String(error)}\n`);
  const connector = await serve(createGitHubConnector({ ...options, onDefect }), {
    port: ports.connector,
    hostname: process.env.HOST,
  });
  process.stdout.write(`Emulated GitHub: ${github.apiUrl}\nConnector: ${connector.url}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  await connector.close();
  await github.close();
  return true;
});
