import { onTestFinished } from 'vitest';

/** The rejections that nobody handles from now to the end of the test. Without a listener, they would end the process. */
export function unhandledRejections(): readonly unknown[] {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return unhandled;
}
