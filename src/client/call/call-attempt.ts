import type { FailedRequest } from '../../contract/index.js';
import type { RequestBody } from '../http/request-body.js';
import { defaultHeaders } from '../http/request-headers.js';
import type { Lane } from '../rate-limit/lane.js';
import type { Permit } from '../rate-limit/permit.js';
import type { Session, SessionHolder } from '../session/session.js';
import type { Attempt } from './attempt.js';
import type { Call } from './call.js';

/** One attempt of a call: with the permit and the session that were there when it went out. */
export class CallAttempt implements Attempt {
  readonly call: Call;
  readonly permit: Permit;
  readonly session: Session;
  readonly body: RequestBody | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** How old the session was when the request went out. */
  readonly ageMs: number;
  readonly #sessions: SessionHolder;

  constructor(
    { sessions }: { sessions: SessionHolder },
    call: Call,
    permit: Permit,
    session: Session,
    body: RequestBody | undefined,
  ) {
    this.call = call;
    this.permit = permit;
    this.session = session;
    this.body = body;
    this.headers = call.headers === defaultHeaders ? session.withDefaults : { ...call.headers, ...session.headers };
    this.ageMs = sessions.ageOf(session);
    this.#sessions = sessions;
  }

  get request(): FailedRequest {
    return this.call.request;
  }

  get lane(): Lane {
    return this.call.lane;
  }

  get method(): string {
    return this.call.request.method;
  }

  get target(): string {
    return this.call.target;
  }

  get timeoutMs(): number {
    return this.call.timeoutMs;
  }

  get signal(): AbortSignal | undefined {
    return this.call.signal;
  }

  mayStart(): boolean {
    return this.lane.isCurrent(this.permit) && this.#sessions.current?.generation === this.session.generation;
  }
}
