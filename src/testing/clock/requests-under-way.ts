/** The HTTP requests of this process that have no response yet, as its clients and servers report them. */
export interface RequestsUnderWay {
  readonly any: boolean;
  /** Whether bytes are between two sockets: a request not yet received, or a response not yet read. */
  readonly onTheWire: boolean;
  /** Changes whenever something happens to one of them. */
  readonly activity: number;
  /** What has not arrived by now does not: requests that break off are not always reported. */
  forgetWire(): void;
}

// What undici (fetch included) and node:http publish.
const begun = ['undici:request:create'];
const sent = ['undici:client:sendHeaders', 'http.client.request.start'];
const received = ['http.server.request.start'];
const responded = ['http.server.response.finish'];
const ended = [
  'undici:request:trailers',
  'undici:request:error',
  'http.client.response.finish',
  'http.client.request.error',
];

let watched: RequestsUnderWay | undefined;

/** Watches from the first call on. Runtimes without diagnostics channels never report a request. */
export function requestsUnderWay(): RequestsUnderWay {
  watched ??= watch();
  return watched;
}

function watch(): RequestsUnderWay {
  const unsent = new Set<unknown>();
  const requests = new Set<unknown>();
  let activity = 0;
  let unreceived = 0;
  let unread = 0;
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
  listen(begun, (request) => {
    requests.add(request);
    unsent.add(request);
  });
  listen(sent, (request) => {
    requests.add(request);
    unsent.delete(request);
    unreceived++;
  });
  // Requests of other processes and requests that break off are reported at one end only.
  listen(received, () => {
    unreceived = Math.max(0, unreceived - 1);
  });
  listen(responded, () => unread++);
  listen(ended, (request) => {
    requests.delete(request);
    unsent.delete(request);
    unread = Math.max(0, unread - 1);
    if (requests.size === 0) unreceived = unread = 0;
  });
  return {
    get any() {
      return requests.size > 0;
    },
    get onTheWire() {
      return requests.size > 0 && unsent.size + unreceived + unread > 0;
    },
    get activity() {
      return activity;
    },
    forgetWire() {
      unsent.clear();
      unreceived = unread = 0;
    },
  };
}
