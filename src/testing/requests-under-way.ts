/** The HTTP requests that this process has sent and that have no answer yet, as its clients tell of them. */
export interface RequestsUnderWay {
  readonly size: number;
  /** Changes whenever something happens to one of them. */
  readonly activity: number;
}

// What undici (fetch included) and node:http publish: where a request begins, goes on, and ends.
const begins = ['undici:request:create', 'http.client.request.start'];
const goesOn = ['undici:client:sendHeaders', 'undici:request:headers', 'http.server.request.start'];
const ends = [
  'undici:request:trailers',
  'undici:request:error',
  'http.client.response.finish',
  'http.client.request.error',
];

let watched: RequestsUnderWay | undefined;

/** Watches from the first call on; where there is no diagnostics channel, nothing is ever under way. */
export function requestsUnderWay(): RequestsUnderWay {
  watched ??= watch();
  return watched;
}

function watch(): RequestsUnderWay {
  const requests = new Set<unknown>();
  let activity = 0;
  // Not an import: runtimes without this module can still use the clock.
  const channels = globalThis.process?.getBuiltinModule?.('node:diagnostics_channel');
  const listen = (names: readonly string[], listener: (request: unknown) => void) => {
    for (const name of names) {
      channels?.subscribe(name, (message) => {
        activity++;
        listener((message as { request?: unknown }).request);
      });
    }
  };
  listen(begins, (request) => requests.add(request));
  listen(goesOn, () => {});
  listen(ends, (request) => requests.delete(request));
  return {
    get size() {
      return requests.size;
    },
    get activity() {
      return activity;
    },
  };
}
