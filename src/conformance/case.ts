import type { Feature } from './options.js';
import { type Exchange, showExchange, summarize } from './probing/exchange.js';
import { CannotCheck, type Completed, hasResponse, type Prober } from './probing/prober.js';
import type { Problem, Severity } from './result.js';

/** One thing that a connector has to do, and how it is judged. */
export interface CaseDefinition {
  /** Never changes: known failures name it. */
  readonly id: string;
  /** The rule of docs/rules.md. */
  readonly rule: string;
  readonly title: string;
  readonly why: string;
  /** @default 'error' */
  readonly severity?: Severity;
  /** The feature without which it does not apply. */
  readonly feature?: Feature;
  /** Why it cannot be checked with the probes that there are. */
  lacks?(prober: Prober): string | undefined;
  check(judge: Judge): Promise<void>;
}

/** What a case that ran found. */
export interface Verdict {
  status: 'passed' | 'violated' | 'skipped';
  problems: Problem[];
  /** Why it could not be judged. */
  reason?: string;
}

/** Asks the connector and takes down what is wrong. */
export class Judge {
  readonly prober: Prober;
  readonly problems: { message: string; exchange: Exchange | undefined }[] = [];

  constructor(prober: Prober) {
    this.prober = prober;
  }

  get settings() {
    return this.prober.settings;
  }

  problem(message: string, exchange?: Exchange): void {
    this.problems.push({ message, exchange });
  }

  /** The answer, or `undefined` after having taken down that there is none. */
  response(seen: Exchange): Completed | undefined {
    if (hasResponse(seen)) return seen;
    this.problem(`${summarize(seen)}; expected an answer`, seen);
    return undefined;
  }

  status(seen: Exchange, accepts: (status: number) => boolean, expected: string): void {
    const answered = this.response(seen);
    if (answered === undefined || accepts(answered.response.status)) return;
    this.problem(`${summarize(seen)}; expected ${expected}`, seen);
  }
}

export const isSuccess = (status: number) => status >= 200 && status <= 299;
export const isOneOf =
  (...statuses: number[]) =>
  (status: number) =>
    statuses.includes(status);

/** Runs one case. */
export async function judge(definition: CaseDefinition, prober: Prober): Promise<Verdict> {
  const judge = new Judge(prober);
  try {
    await definition.check(judge);
  } catch (error) {
    if (!(error instanceof CannotCheck)) throw error;
    if (judge.problems.length === 0)
      return { status: 'skipped', problems: [], reason: prober.secrets.mask(error.message) };
  }
  const context = {
    secrets: prober.secrets,
    sessionNames: prober.sessionNames,
    initializePath: prober.settings.initialize.path,
  };
  const problems = judge.problems.map(({ message, exchange }) => ({
    message: prober.secrets.mask(message),
    ...(exchange === undefined ? {} : { seen: showExchange(exchange, context) }),
  }));
  return { status: problems.length === 0 ? 'passed' : 'violated', problems };
}
