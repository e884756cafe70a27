import type { Feature } from './options.js';
import { showExchange } from './probing/evidence.js';
import { type Exchange, summarize } from './probing/exchange.js';
import { CannotCheck, type Completed, hasResponse, NothingToCheck } from './probing/limits.js';
import { isSuccess, type Prober } from './probing/prober.js';
import type { CaseResult, Severity } from './result.js';

/** One thing that a connector has to do, and how to check it. */
export interface CaseDefinition extends Readonly<Pick<CaseResult, 'id' | 'rule' | 'title' | 'why'>> {
  /** @default 'error' */
  readonly severity?: Severity;
  /** The case applies only to connectors with this feature. */
  readonly feature?: Feature;
  /** Why it cannot be checked with the given probes. */
  lacks?(prober: Prober): string | undefined;
  check(judge: Judge): Promise<void>;
}

/** What a case has found, or the reason why it could not be judged. */
export type Verdict = Pick<CaseResult, 'problems' | 'reason'> & { readonly applies?: boolean };

/** Collects what is wrong with the responses. */
export class Judge {
  readonly problems: { message: string; exchange: Exchange | undefined }[] = [];

  constructor(readonly prober: Prober) {}

  get settings() {
    return this.prober.settings;
  }

  problem(message: string, exchange?: Exchange): void {
    this.problems.push({ message, exchange });
  }

  /** A problem whose message begins with the request and its status. */
  found(seen: Exchange, problem: string): void {
    this.problem(`${summarize(seen)}${problem}`, seen);
  }

  /**
   * The exchange if it has a response, of which a success has to be whole; otherwise `undefined`, after recording the problem.
   * The bodies of errors are judged by `errors.body`.
   */
  response(seen: Exchange): Completed | undefined {
    const broken = seen.response?.broken;
    if (hasResponse(seen) && (broken === undefined || seen.response.status >= 400)) return seen;
    this.found(seen, `; ${broken?.text ?? 'expected a response'}`);
    return undefined;
  }

  status(seen: Exchange, accepts: (status: number) => boolean, expected: string): void {
    const completed = this.response(seen);
    if (completed === undefined || accepts(completed.response.status)) return;
    this.found(seen, `; expected ${expected}`);
  }

  /**
   * How a login is refused: only a 400, a 401 and a 403 are final (rule S5), and a 403 with the wait header is a rate limit.
   * A login that is `incomplete` may succeed, because parameters may be optional.
   */
  refusal(seen: Exchange, incomplete?: string): void {
    const isLimit = hasResponse(seen) && this.prober.limits.isLimit(seen);
    const isFinal = (status: number) => isOneOf(400, 401, 403)(status) && !isLimit;
    const isAllowed = (status: number) => incomplete !== undefined && isSuccess(status);
    const expected = `400, 401, or 403 without ${this.settings.rateLimit.header}`;
    this.status(
      seen,
      (status) => isFinal(status) || isAllowed(status),
      incomplete === undefined ? expected : `${expected}, or a success, for a login ${incomplete}`,
    );
  }
}

export const isOneOf =
  (...statuses: number[]) =>
  (status: number) =>
    statuses.includes(status);

/** Cases that have something in common, unless one says otherwise. */
export function casesWith(
  common: Pick<CaseDefinition, 'feature' | 'lacks'>,
  cases: readonly CaseDefinition[],
): CaseDefinition[] {
  return cases.map((definition) => ({ ...common, ...definition }));
}

export async function judge(definition: CaseDefinition, prober: Prober): Promise<Verdict> {
  const judge = new Judge(prober);
  try {
    await definition.check(judge);
    // Most cases find nothing wrong with silence.
    if (!prober.hasResponded) throw new CannotCheck('no request got a response');
  } catch (error) {
    if (!(error instanceof CannotCheck)) throw error;
    const applies = !(error instanceof NothingToCheck);
    if (judge.problems.length === 0) return { problems: [], reason: prober.secrets.mask(error.message), applies };
  }
  const problems = judge.problems.map(({ message, exchange }) => ({
    message: prober.secrets.mask(message),
    ...(exchange && { seen: showExchange(exchange, prober) }),
  }));
  return { problems };
}
