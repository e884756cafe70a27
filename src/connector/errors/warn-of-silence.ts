let hasWarned = false;

/** Says once in a process that nobody hears of errors: the author of a 500 would look for it in vain (rule E4). */
export function warnOfSilence(): void {
  if (hasWarned) return;
  hasWarned = true;
  try {
    globalThis.process?.emitWarning?.(
      'This connector has no `onError`, so nothing logs its errors. To see them, pass `onError: logError`, which ' +
        '`concordat/connector` exports; to silence this warning, `onError: () => {}`.',
      { type: 'ConcordatWarning', code: 'CONCORDAT_NO_LISTENER' },
    );
  } catch {
    // Some runtimes, such as the edge runtime of Next.js, have the function and refuse to run it.
  }
}
