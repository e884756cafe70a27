/**
 * An Error that can be made without the frames of its stack: taking them is nearly all of what an error costs
 * (docs/decisions/0019-cost-of-an-error.md).
 */
export class FramedError extends Error {
  constructor(message: string, options: ErrorOptions | undefined, withFrames: boolean) {
    const limit = Error.stackTraceLimit;
    const without = !withFrames && setStackTraceLimit(0);
    try {
      super(message, options);
    } finally {
      if (without) setStackTraceLimit(limit);
    }
  }
}

/** Where the intrinsics are frozen the limit stays what it is. */
function setStackTraceLimit(frames: number): boolean {
  try {
    Error.stackTraceLimit = frames;
    return true;
  } catch {
    return false;
  }
}
