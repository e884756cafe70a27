import { writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import {
  type CaseStatus,
  type ConformanceConfig,
  conformance,
  type Feature,
  features,
  formatReport,
  type Probes,
  type Report,
  type Reporter,
  reporters,
  runConformance,
} from '../conformance/index.js';
import { abortable, cancelBody, redactedMark, withoutTrailingSlashes } from '../internal/index.js';
import type { RecordedExchange, RecordedRequest, Recording } from '../testing/index.js';
import { loadConfig } from './config.js';
import { checkOutput, exitCodes, fromOptions, type Io, mayColor, toUsageError, UsageError } from './io.js';
import { loadDocument } from './openapi.js';
import { readParameters } from './parameters.js';
import { compareWithRecording } from './record/drift.js';
import { loadRecording, mayBeSent } from './record/record.js';
import { recordExchanges } from './record/recorder.js';
import { collect, given, parseDuration, parseUrl } from './values.js';

interface CheckOptions {
  config?: string;
  against?: string;
  openapi?: string;
  reporter: Reporter;
  output?: string;
  features?: Feature[];
  initialize?: string[];
  read?: string;
  unknown?: string;
  limit?: string;
  allowWrites?: true;
  timeout?: number;
  maxWait?: number;
}

/** `concordat check`: checks a connector from outside. */
export function addCheck(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command('check')
    .summary('check that a connector keeps the contract')
    .description(
      'Checks over HTTP that a connector keeps the contract. Sends no request that may write, unless you allow it.',
    )
    .argument('<url>', 'address of the connector', parseUrl)
    .option(
      '-c, --config <file>',
      'the config with the probes (default: concordat.config.ts, .mts, .js, .mjs or .json, if it exists)',
    )
    .addOption(new Option('-r, --reporter <name>', 'the format of the report').choices(reporters).default('pretty'))
    .option('-o, --output <file>', 'write the report to a file')
    .option('--features <list>', `what the connector offers, separated by commas: ${features.join(',')}`, parseFeatures)
    .option('-i, --initialize <key=value>', 'a parameter of the login; repeatable', collect)
    .option('--read <request>', 'a request that succeeds with a session, such as /issues')
    .option('--unknown <request>', 'a request for something that does not exist, such as /issues/0')
    .option('--limit <request>', 'a request that reaches the rate limit when repeated')
    .option('--allow-writes', 'send probes that may write (POST, PUT, PATCH, DELETE)')
    .option('--openapi <document>', 'send requests that this OpenAPI document does not allow: a URL, a file, or a path')
    .option('--against <recording>', 'also report what has changed since concordat record')
    .option('--timeout <time>', 'the timeout of one request (default: 10s)', parseDuration)
    .option('--max-wait <time>', 'the longest rate limit to wait out (default: 10s)', parseDuration)
    .addHelpText(
      'after',
      `
Examples:
  $ concordat check http://127.0.0.1:4000
  $ PASSWORD=… concordat check http://127.0.0.1:4000 -i user=alice -i password=env:PASSWORD --read /issues
  $ concordat check http://127.0.0.1:4000 --config concordat.config.json --reporter junit --output report.xml

Exit codes: 0 the connector keeps the contract, 1 it breaks it, 2 no verdict: nothing responds,
the config is wrong, the login is refused, or a case that applies could not be judged.`,
    )
    .action(async (url: string, options: CheckOptions) => finish(await check(url, options, io)));
}

async function check(url: string, options: CheckOptions, io: Io): Promise<number> {
  const replaced = options.initialize === undefined ? [] : ['parameters'];
  const config = await withArguments(await loadConfig(options.config, io, replaced), options, io);
  fromOptions(() => conformance({ ...config, baseUrl: url }));
  const output = options.output === undefined ? undefined : checkOutput(options.output, io);
  await findConnector(url, config.timeoutMs ?? 10_000, io.signal);
  const recording = options.against === undefined ? undefined : loadRecording(options.against, io);
  const running = runConformance({ ...config, baseUrl: url }).catch((error: unknown) => {
    throw toUsageError(error);
  });
  const judged = await abortable(running, io.signal);
  const report = recording === undefined ? judged : await withDrift(judged, recording, url, config, io);
  if (output === undefined) {
    io.stdout.write(`${formatReport(report, options.reporter, { colors: mayColor(io.stdout, io.env) })}\n`);
  } else {
    writeFileSync(output, `${formatReport(report, options.reporter)}\n`);
    io.stderr.write(`${conclusion(report)}, see ${options.output}\n`);
  }
  if (report.ok) return exitCodes.good;
  return isBroken(report) ? exitCodes.bad : exitCodes.unusable;
}

/** The report and how each recorded exchange is today. */
async function withDrift(report: Report, recording: Recording, url: string, config: ConformanceConfig, io: Io) {
  const requests = recording.exchanges.map(({ request }) => request);
  const reasons = requests.map((request) => whyNotSent(request, config));
  const sent = requests.filter((_, index) => reasons[index] === undefined);
  const today = (await recordExchanges(sent, url, config, io.signal)).recording.exchanges.values();
  const results = compareWithRecording(
    recording,
    reasons.map((reason) => reason ?? (today.next().value as RecordedExchange).response),
  );
  const count = (status: CaseStatus) =>
    report.counts[status] + results.filter((result) => result.status === status).length;
  return {
    ...report,
    ok: report.ok && results.every(({ status }) => status !== 'failed'),
    counts: { ...report.counts, passed: count('passed'), failed: count('failed'), skipped: count('skipped') },
    results: [...report.results, ...results],
  };
}

/** A mark would be sent as text: a lenient end system stores it as a password. */
function whyNotSent(request: RecordedRequest, config: ConformanceConfig): string | undefined {
  if (!mayBeSent(request, config)) return 'it may write: needs `allowWrites`';
  return JSON.stringify(request).includes(redactedMark)
    ? 'it had a secret, which the recording does not have'
    : undefined;
}

const isBroken = ({ counts }: Report) => counts.failed > 0 || counts.fixed > 0;

function conclusion(report: Report): string {
  if (report.ok) return 'No violations found';
  return isBroken(report) ? 'Violations found' : `${report.counts.unjudged} cases could not be judged`;
}

/** Arguments override the config file. */
async function withArguments(config: ConformanceConfig, options: CheckOptions, io: Io): Promise<ConformanceConfig> {
  const probes: Probes = { ...config.probes };
  if (options.initialize !== undefined) {
    probes.initialize = {
      ...probes.initialize,
      parameters: await readParameters(options.initialize, '--initialize', io),
    };
  }
  if (options.read !== undefined) probes.readable = options.read;
  if (options.unknown !== undefined) probes.unknown = options.unknown;
  if (options.limit !== undefined) probes.limit = { ...probes.limit, request: options.limit };
  const { openapi, features, allowWrites, timeout: timeoutMs, maxWait: maxWaitMs } = options;
  return {
    ...config,
    probes,
    ...(openapi !== undefined && { openapi: { ...config.openapi, document: await loadDocument(openapi, io) } }),
    ...given({ features, allowWrites, timeoutMs, maxWaitMs }),
  };
}

const isUntrusted =
  'is not trusted; trust it, or its authority, with NODE_EXTRA_CA_CERTS=certificate.pem in the environment';

/** What is wrong with a certificate, by the code of the error. */
const certificateProblems: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', isUntrusted],
  ['SELF_SIGNED_CERT_IN_CHAIN', isUntrusted],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', isUntrusted],
  ['UNABLE_TO_GET_ISSUER_CERT', isUntrusted],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', isUntrusted],
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['CERT_NOT_YET_VALID', 'is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host'],
]);

/**
 * A connector that is not running does not break the contract: exit code 2, not 1. Any response will do, of one of two routes: a
 * route that hangs is for the cases to judge.
 */
async function findConnector(url: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const found = new AbortController();
  const ask = async (address: string) => {
    const signals = [signal, found.signal, AbortSignal.timeout(timeoutMs)];
    const response = await fetch(address, { redirect: 'manual', signal: AbortSignal.any(signals) });
    cancelBody(response);
  };
  try {
    await Promise.any([ask(url), ask(`${withoutTrailingSlashes(url)}/concordat-conformance/no-such-route`)]);
  } catch (error) {
    signal.throwIfAborted();
    const [first] = (error as AggregateError).errors as { cause?: { code?: string; message?: string } }[];
    const { code, message } = first?.cause ?? {};
    const problem = code === undefined ? undefined : certificateProblems.get(code);
    if (problem !== undefined) throw new UsageError(`The certificate of ${url} ${problem} (${code}).`);
    const reason = code ?? message ?? `no response within ${timeoutMs} ms`;
    throw new UsageError(`Nothing responds at ${url} (${reason}). Is the connector running?`);
  } finally {
    found.abort();
  }
}

function parseFeatures(text: string): Feature[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '') as Feature[];
}
