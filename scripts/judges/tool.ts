import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A command-line tool of the npm registry. */
export interface Tool {
  /** With its version. */
  readonly package: string;
  readonly command: string;
}

/** What npm says when the registry is not there, or is not well. */
const unreachable =
  /code (E?(?:NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH|5\d\d)|ENOTCACHED)/;

/**
 * Installs the tool into npm's cache, unless it is there.
 *
 * @returns why it cannot be had, if the registry is the reason
 */
export async function fetchTool(tool: Tool): Promise<string | undefined> {
  try {
    await runTool(tool, ['--version']);
    return undefined;
  } catch (error) {
    const code = unreachable.exec(String(error))?.[1];
    if (code === undefined) throw error;
    return `npm cannot reach its registry (${code})`;
  }
}

/** Runs the tool to its end. @returns its output; throws with it, if the exit code is not 0 */
export async function runTool(tool: Tool, parameters: readonly string[]): Promise<string> {
  const { child, output, remove } = start(tool, parameters);
  const [code] = await once(child, 'close');
  remove();
  if (code !== 0) throw new Error(`${tool.command} ended with ${code}:\n${output()}`);
  return output();
}

/** Starts the tool as a server. @returns the address that it prints, and what ends it */
export async function startTool(tool: Tool, parameters: readonly string[], ready: RegExp) {
  const { child, output, remove } = start(tool, parameters);
  const closed = once(child, 'close');
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = ready.exec(output())?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', look);
    child.on('close', () => reject(new Error(`${tool.command} has ended:\n${output()}`)));
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      // npx has processes below it: all of its group.
      process.kill(-(child.pid as number), 'SIGTERM');
      await closed;
      remove();
    },
  };
}

function start(tool: Tool, parameters: readonly string[]) {
  // In a folder of its own: nothing of the project is on the tool's way to its packages, and what it writes goes with it.
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-judges-'));
  const child = spawn('npx', ['--yes', `--package=${tool.package}`, '--', tool.command, ...parameters], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NO_COLOR: '1',
      npm_config_fetch_retries: '1',
      // Not the silence of the npm that runs this: the code of an error says what to do.
      npm_config_loglevel: 'error',
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return { child, output: () => text, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
