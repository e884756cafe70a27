import { follow, setTimeLimit } from '../../internal/index.js';
import type { ConnectorRequest } from '../client-types.js';
import { closedError, RequestError } from '../errors.js';
import type { IncomingBody } from '../http/incoming-body.js';
import type { ConnectorResponse, ToResult } from '../http/read-success.js';
import { discard } from '../http/request-body.js';
import { withoutQuery } from '../http/request-target.js';
import type { SessionHolder } from '../session/session.js';
import { type Call, type CallContext, checkRequest, toCall } from './call.js';
import { CallRun } from './call-run.js';
import { CallObserver } from './observer.js';
import { type RunContext, runToEnd } from './run.js';
import { type Open, type StreamHistory, toStreamed, toStreamRequest } from './stream.js';

/** The calls of one client, from the caller's options to the caller's result. */
export class Calls {
  readonly #context: CallContext;
  #active = 0;
  #onIdle: (() => void) | undefined;

  constructor(options: RunContext & { sessions: SessionHolder }) {
    this.#context = {
      ...options,
      arriving: ({ request }, body, explain) => {
        body.explain = explain;
        this.#active++;
        const end = () => ({ type: 'aborted', reason: closedError(request) }) as const;
        // Nobody may read it any more, and `close()` waits for it.
        const leaveClosing = follow([options.closing], () => body.endUnread(end()));
        const leaveCutOff = follow([options.cutOff], () => body.finish(end()));
        body.onEnd(() => {
          leaveClosing();
          leaveCutOff();
          this.#context.ended();
        });
      },
      ended: () => {
        this.#active--;
        if (this.#active === 0) this.#onIdle?.();
      },
    };
  }

  async idle(): Promise<void> {
    if (this.#active > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  /** Makes a call. @throws (rejects) as {@link ConnectorClient.request} does. */
  run<Data, Result>(request: ConnectorRequest<Data>, toResult: ToResult<Data, Result>): Promise<Result> {
    try {
      return request?.responseType === 'stream'
        ? this.#stream(request).then((response) => toResult(response.data, () => response))
        : this.#run(request, toResult);
    } catch (error) {
      discard(request?.body); // nothing is sent (rule G8)
      return Promise.reject(error);
    }
  }

  /** @param stream missing unless it is the request of one. */
  #run<Data, Result>(
    request: ConnectorRequest<Data>,
    toResult: ToResult<Data, Result>,
    stream?: StreamHistory,
  ): Promise<Result> {
    const { settings, gates, closing, counters, events } = this.#context;
    if (closing.aborted) {
      const { method, path } = checkRequest(request, settings);
      throw closedError({ method, path: withoutQuery(path) });
    }
    const checked = toCall(request, settings, gates, toResult);
    const isRest = stream !== undefined && stream.attempts > 0;
    // `totalTimeoutMs` bounds the time until the head of the whole.
    const rest = isRest && { isRest, totalTimeoutMs: undefined };
    const call = stream === undefined ? checked : { ...checked, watch: stream.watch, ...rest };
    if (request.signal?.aborted) throw request.signal.reason;
    const observer = stream?.observer;
    if (observer !== undefined) {
      const headers = { ...observer.headers, ...call.headers };
      return observer.inside(() => this.#start({ ...call, headers, observer }));
    }
    if (isRest) return this.#start(call);
    counters.calls++;
    return events.watchesCalls ? this.#observe(call, stream) : this.#start(call);
  }

  #start<Data, Result>(call: Call<Data, Result>): Promise<Result> {
    if (call.totalTimeoutMs !== undefined) return this.#startWithin(call.totalTimeoutMs, call);
    return this.#drive(new CallRun(this.#context, call));
  }

  #drive<Data, Result>(run: CallRun<Data, Result>): Promise<Result> {
    this.#active++;
    return runToEnd(this.#context, run);
  }

  /** Bounds a whole call, waits included. @throws (rejects with) `BUDGET_EXCEEDED` once the time is over. */
  async #startWithin<Data, Result>(totalTimeoutMs: number, call: Call<Data, Result>): Promise<Result> {
    const controller = new AbortController();
    const run = new CallRun(this.#context, { ...call, signal: controller.signal });
    const timer = setTimeLimit(this.#context.clock, totalTimeoutMs, () => {
      const { note, cause } = run.holdUp();
      const message = `no success within the \`totalTimeoutMs\` of ${totalTimeoutMs} ms${note}`;
      controller.abort(new RequestError(message, { code: 'BUDGET_EXCEEDED', request: call.request, cause }));
    });
    const leave = follow([call.signal], (reason) => controller.abort(reason));
    try {
      return await this.#drive(run);
    } finally {
      timer.cancel();
      leave();
    }
  }

  async #observe<Data, Result>(call: Call<Data, Result>, stream?: StreamHistory): Promise<Result> {
    const { clock, events, secrets } = this.#context;
    // A copy, because a tracer may add headers and calls may share the object.
    const headers = { ...call.headers };
    const observer = new CallObserver({ request: call.request, headers, secrets, clock, publish: events.publish });
    if (stream !== undefined) stream.observer = observer;
    this.#active++; // until tracers have been told of its result
    try {
      const result = await observer.inside(() => this.#start({ ...call, headers, observer }));
      if (stream === undefined) observer.end();
      return result;
    } catch (error) {
      observer.end({ error });
      throw error;
    } finally {
      this.#context.ended();
    }
  }

  /** A call whose body is read while it arrives. */
  #stream<Data>(request: ConnectorRequest<Data>): Promise<ConnectorResponse<Data>> {
    const { method, path } = checkRequest(request, this.#context.settings);
    const streamRequest = toStreamRequest({ ...request, method });
    const history: StreamHistory = {
      attempts: 0,
      watch(sent) {
        history.attempts++;
        history.observer?.attempt(sent);
      },
    };
    const open: Open = (part) =>
      this.#run(part as ConnectorRequest<IncomingBody>, (_, response) => response(), history);
    const resuming = (resumed: Promise<void>) => {
      this.#active++;
      void resumed.then(this.#context.ended);
    };
    return open(streamRequest).then((response) => {
      const options = { request: { method, path: withoutQuery(path) }, streamRequest, open, resuming, history };
      return toStreamed(response, this.#context, options) as ConnectorResponse<Data>;
    });
  }
}
