import type { Violation } from './judge.js';
import type { Ledger, Moment } from './ledger.js';

/** What broke a rule, the scenario, and all that happened: enough to decide who is wrong. */
export function formatFinding(ledger: Ledger, violations: readonly Violation[]): string {
  const { seed, calls, ...parameters } = ledger.scenario;
  const found = violations.slice(0, 12).map(({ rule, says, what }) => `  ${rule} ${says}:\n    ${what}`);
  return [
    `Seed ${seed} breaks rules (${violations.length}):`,
    ...found,
    `The event loop stood still for ${ledger.stallMs.toFixed(0)} ms at most.`,
    `Again: npm run referee -- --again ${seed}`,
    JSON.stringify(parameters),
    ...calls.map((call) => `  ${JSON.stringify(call)}`),
    ...trace(ledger),
  ].join('\n');
}

/** One line for each thing that happened, in order. */
export function trace(ledger: Ledger): string[] {
  const lines: Array<[Moment, string]> = [];
  const add = (moment: Moment | undefined, text: string) => void (moment && lines.push([moment, text]));
  for (const { plan, client, made, aborted, ended, error } of ledger.calls) {
    add(made, `${client} call ${plan.id}: ${plan.method} ${plan.path}`);
    add(aborted, `${client} call ${plan.id} given up`);
    add(ended, `${client} call ${plan.id} ${error === undefined ? 'succeeds' : `fails: ${String(error)}`}`);
  }
  for (const { id, client, kind, call, begun, arrived, session, answer, settled, settledAs, watched } of ledger.sends) {
    const name = `${client} #${id} ${kind}${call === undefined ? '' : ` for ${call}`}`;
    if (watched) add(begun, `${name} begins`);
    add(arrived, `${name} arrives with ${session['x-session'] ?? 'no session'}`);
    const wait = answer?.verdict === 'limit' ? `, wait ${answer.waitMs ?? 'unknown'}` : '';
    add(answer?.at, `${name} is answered ${answer?.status} ${answer?.verdict}${wait}`);
    add(settled, `${name} is over: ${settledAs}${watched ? '' : ' (as the connector sees it)'}`);
  }
  for (const { name, closing, closed } of ledger.clients) {
    add(closing, `${name} is being closed`);
    add(closed, `${name} is closed`);
  }
  return lines
    .sort(([one], [other]) => one.seq - other.seq)
    .map(([{ at, tick }, text]) => `${at.toFixed(1).padStart(9)} ms, tick ${tick}: ${text}`);
}
