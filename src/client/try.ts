import type { Call, CallContext } from './call.js';
import type { Ticket } from './gate.js';
import { isStream, type RequestBody } from './request-body.js';
import { defaultHeaders } from './request-headers.js';
import type { Session, SessionHolder } from './session.js';
import type { WireRequest } from './wire.js';

/** One try of a call, as the transport sends it: with the ticket and the session that were there when it went out. */
export class Try implements WireRequest {
  readonly call: Call;
  readonly ticket: Ticket;
  readonly session: Session;
  readonly body: RequestBody | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** How old the session was when the request went out. */
  readonly ageMs: number;
  readonly #sessions: SessionHolder;

  constructor({ sessions, clock }: CallContext, call: Call, ticket: Ticket, session: Session, body = call.body.fixed) {
    this.call = call;
    this.ticket = ticket;
    this.session = session;
    this.body = body;
    this.headers = call.headers === defaultHeaders ? session.withDefaults : { ...call.headers, ...session.headers };
    this.ageMs = clock.monotonic() - session.since;
    this.#sessions = sessions;
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
    const { ticket, session } = this;
    return this.call.gate.isCurrent(ticket) && this.#sessions.current?.generation === session.generation;
  }
}

/** The first try of a call that has nothing to wait for and nothing to prepare: most calls are no more than this. */
export function tryAtOnce(context: CallContext, call: Call): Try | undefined {
  const session = context.sessions.current;
  const { factory, fixed } = call.body;
  if (session === undefined || factory !== undefined || isStream(fixed)) return undefined;
  const ticket = call.gate.enterAtOnce();
  return ticket && new Try(context, call, ticket, session);
}
