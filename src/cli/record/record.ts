import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { type ConformanceConfig, conformance } from '../../conformance/index.js';
import { isSafeMethod, printable } from '../../internal/index.js';
import { type RecordedExchange, type RecordedRequest, type Recording, simulateConnector } from '../../testing/index.js';
import { loadConfig } from '../config.js';
import { checkOutput, exitCodes, fromOptions, type Io, UsageError } from '../io.js';
import { collect, parseUrl, readText } from '../values.js';
import type { Judgment } from './cleaning.js';
import { maxBodyBytes, recordExchanges, toRecordedRequest } from './recorder.js';
import { listed, withoutSecrets } from './without-secrets.js';

interface RecordOptions extends Partial<Judgment> {
  url?: string;
  output: string;
}

/** `concordat record`: saves the responses of a real connector, for tests. */
export function addRecord(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command('record')
    .summary('record the responses of a connector for tests')
    .description(
      'Sends the probes of a config and its `record` requests once, and saves the responses without secrets, for ' +
        'simulateConnector({ recording }). Masks what has the name of a secret, and writes nothing if a secret may be left.',
    )
    .argument('<config>', 'the config file, as for concordat check')
    .option('-u, --url <url>', 'address of the connector (default: `baseUrl` of the config)', parseUrl)
    .option('-o, --output <file>', 'the recording', 'recording.json')
    .option('--mask <name>', 'mask the members of JSON and headers with this name; repeatable', collect)
    .option('--keep <name>', 'what has this name is not a secret and stays; repeatable', collect)
    .addHelpText(
      'after',
      `
Examples:
  $ PASSWORD=… concordat record concordat.config.ts --url http://127.0.0.1:4000
  $ concordat check http://127.0.0.1:4000 --against recording.json     # has it changed since?

Exit codes: 0 the recording was written, 2 it was not.`,
    )
    .action(async (config: string, options: RecordOptions) => finish(await record(config, options, io)));
}

async function record(configFile: string, options: RecordOptions, io: Io): Promise<number> {
  const config = await loadConfig(configFile, io);
  const url = options.url ?? config.baseUrl;
  if (url === undefined) throw new UsageError('Give the address of the connector: --url, or `baseUrl` in the config.');
  fromOptions(() => conformance({ ...config, baseUrl: url }));
  const fileProbe = config.probes?.file;
  const file = fileProbe && toRecordedRequest(fileProbe.request);
  const all = [...requestsOf(config), ...(file ? [file] : [])];
  if (all.length === 0) throw new UsageError(`${configFile} has neither probes nor \`record\`: nothing to record.`);
  const requests = all.filter((request) => mayBeSent(request, config));
  const skipped = `${all.length - requests.length} of ${all.length} requests skipped, as they may write: set \`allowWrites\` in the config.`;
  if (requests.length === 0) throw new UsageError(`Nothing to record: ${skipped}`);
  const output = checkOutput(options.output, io);
  const recorded = await recordExchanges(requests, url, config, io.signal, file);
  const { recording, masked } = withoutSecrets(recorded, { mask: options.mask ?? [], keep: options.keep ?? [] });
  const leftOut = requests.filter((request) => recorded.recording.exchanges.every((each) => each.request !== request));
  const notes = leftOut.map(tooLarge);
  if (leftOut.length === requests.length) throw new UsageError(notes.join('\n'));
  writeFileSync(output, `${JSON.stringify(recording, undefined, 2)}\n`);
  if (requests.length < all.length) notes.push(skipped);
  const readable = config.probes?.readable && all[0];
  const read = recording.exchanges[recorded.recording.exchanges.findIndex(({ request }) => request === readable)];
  if (read !== undefined && read.response.status >= 400) notes.push(failing(read));
  if (masked.size > 0)
    notes.push(printable(`Masked for their names; --keep NAME keeps what is no secret:${listed(masked)}`));
  io.stderr.write(`${recording.exchanges.length} responses recorded, see ${options.output}\n`);
  for (const note of notes) io.stderr.write(`${note}\n`);
  return exitCodes.good;
}

/** A recording of an outage looks like any other. */
function failing({ request: { method, path: target }, response: { status } }: RecordedExchange): string {
  return `${method} ${target}, which should be readable, is a ${status}.`;
}

function tooLarge({ method, path: target }: RecordedRequest): string {
  return `${method} ${target} is not in the recording: the file has more than ${maxBodyBytes} bytes.`;
}

function requestsOf(config: ConformanceConfig): RecordedRequest[] {
  const { readable, unknown, invalid, forbidden, failing } = config.probes ?? {};
  const probes = [readable, unknown, invalid, forbidden, failing, ...(config.record ?? [])];
  return probes.filter((probe) => probe !== undefined).map(toRecordedRequest);
}

/** Requests that may write are sent only if the config allows it. */
export function mayBeSent({ method }: RecordedRequest, { allowWrites = false }: ConformanceConfig): boolean {
  return allowWrites || isSafeMethod(method);
}

/** @throws UsageError when the file is not a recording. */
export function loadRecording(file: string, io: Io): Recording {
  const name = path.resolve(io.cwd, file);
  if (!existsSync(name)) throw new UsageError(`The recording ${file} does not exist.`);
  try {
    const recording = JSON.parse(readText(name)) as Recording;
    simulateConnector({ recording }); // says what is wrong with it
    return recording;
  } catch (error) {
    throw new UsageError(`${file} is not a recording: ${(error as Error).message}`);
  }
}
