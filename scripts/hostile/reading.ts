/** How a server's process is, once everything unused has been collected. */
export interface Reading {
  readonly sockets: number;
  readonly descriptors: number;
  readonly heapBytes: number;
  /** The longest that its event loop has been held up since the last reading. */
  readonly longestDelayMs: number;
}
