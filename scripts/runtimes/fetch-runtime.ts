import assert from 'node:assert/strict';
import { run, whileServing } from './process.js';

/** Where the programs of the folder `programs` run. */
export interface Place {
  project: string;
  /** What starts a program in the runtime. */
  command: string[];
  /** What serves a connector there: its own server for fetch handlers (`own`), or `serve()`. */
  servers?: readonly ('own' | 'serve')[];
}

/** The connector, served by `serve()` on Node, judges other runtimes. */
const onNode = (use: (url: string) => Promise<void>, project: string) =>
  whileServing([process.execPath, 'programs/serve.js', 'serve'], project, use);

/** Serves the connector in the runtime; Node judges it, over sockets. */
export async function proveConnector({ project, command, servers = ['own', 'serve'] }: Place): Promise<string> {
  let printed = '';
  for (const how of servers) {
    await whileServing([...command, 'programs/serve.js', how], project, async (url) => {
      printed = await judge(url, project);
    });
  }
  return printed;
}

/** Checks a connector with the kit, on Node, and that its contract is Node's, line by line. */
export async function judge(url: string, project: string): Promise<string> {
  const read = async (at: string) => (await fetch(`${at}/contract`)).json() as Promise<string[]>;
  const lines = await read(url);
  await onNode(async (node) => assert.deepEqual(lines, await read(node)), project);
  return `${await run([process.execPath, 'programs/check.js', url], project)}, ${lines.length} lines of the contract`;
}

/** Calls a connector on Node with the client in the runtime, with its own transport and with `fetch`. */
export async function proveClient({ project, command }: Place): Promise<string> {
  const printed: string[] = [];
  await onNode(async (url) => {
    printed.push(await run([...command, 'programs/client.js', url], project));
    printed.push(await run([...command, 'programs/client.js', url, 'fetch'], project));
  }, project);
  return `without \`fetch\`: ${printed[0]}, with \`fetch\`: ${printed[1]}`;
}

/** Runs the conformance kit in the runtime, against a connector on Node. */
export async function proveConformance({ project, command }: Place): Promise<string> {
  let printed = '';
  await onNode(async (url) => {
    printed = await run([...command, 'programs/check.js', url], project);
  }, project);
  return printed;
}
