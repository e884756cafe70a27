type Transform = (
  this: ZlibStream,
  chunk: unknown,
  encoding: unknown,
  callback: (...results: unknown[]) => void,
) => void;

interface ZlibStream {
  once(event: 'close', listener: () => void): unknown;
}

let working: Set<ZlibStream> | undefined;

/** The streams of zlib that are at work, which Node lists nowhere: those of `CompressionStream` and undici, too. */
export function zlibWork(): ReadonlySet<unknown> {
  working ??= watch();
  return working;
}

/** Watches from the first call on. Runtimes whose zlib is another one never report anything. */
function watch(): Set<ZlibStream> {
  const busy = new Set<ZlibStream>();
  const known = new WeakSet<ZlibStream>();
  // Not an import: runtimes without this module can still use the clock.
  const { Gzip } = globalThis.process?.getBuiltinModule?.('node:zlib') ?? {};
  let base = (Gzip?.prototype ?? null) as { _transform?: Transform } | null;
  while (base !== null && !Object.hasOwn(base, '_transform')) base = Object.getPrototypeOf(base);
  const original = base?._transform;
  if (base === null || original === undefined) return busy;
  base._transform = function (chunk, encoding, callback) {
    busy.add(this);
    // One that fails never calls back.
    if (!known.has(this)) this.once('close', () => busy.delete(this));
    known.add(this);
    original.call(this, chunk, encoding, (...results) => {
      busy.delete(this);
      callback(...results);
    });
  };
  return busy;
}
