/** The start of a key with any prefix, and what follows it. A name may look like a start: `build_7`. */
const patterns = {
  /** With half of the secret or more: no name is like that. */
  withSecret: /(?:^|[^0-9A-Za-z])([a-z][a-z0-9]{1,15}_[0-9A-Za-z]{12})_[0-9A-Za-z]{22}/,
  whole: /([a-z][a-z0-9]{1,15}_[0-9A-Za-z]{12})_[0-9A-Za-z]{49}(?![0-9A-Za-z])/,
  /** Whoever cut it marked the place. */
  cut: /(?:^|[^0-9A-Za-z])([a-z][a-z0-9]{1,15}_[0-9A-Za-z]{0,12})(?:_[0-9A-Za-z]{0,21})?(?:…|\.\.|\*\*|••)/,
  /** In quotes at most: nothing says that this is no name. */
  alone: /^[\s"'`]*([a-z][a-z0-9]{1,15}_[0-9A-Za-z]{4,12}(?:_[0-9A-Za-z]{0,21})?)[\s"'`]*$/,
  /** What may be half of a secret or more, and the id before it. */
  longWord: /([0-9A-Za-z]{12})_[0-9A-Za-z]{22}|([0-9A-Za-z]{21})[0-9A-Za-z]/,
};

/** Finds the key that somebody looks for, such as a leaked one: whole or cut short, with whatever stood around it. */
export function findPastedKey(search: string) {
  const text = withoutNoise(search);
  const withSecret = patterns.withSecret.exec(text) ?? patterns.whole.exec(text.replace(/\s/g, ''));
  if (withSecret !== null) return pastedKey(`${withSecret[1]}…`, true);
  const cut = patterns.cut.exec(text);
  if (cut !== null) return pastedKey(`${cut[1]}…`, false);
  const alone = patterns.alone.exec(text)?.[1];
  // Behind a whole id may be the beginning of the secret.
  return alone === undefined ? undefined : pastedKey(alone.replace(/(?<=_[0-9A-Za-z]{12})_.*/, ''), false);
}

/**
 * What may be in an address, on a page and in a log: of no word more than 21 characters, which is half a secret. Of a
 * search with a longer word only a part is left; a name that has the word has the part, too.
 */
export function withoutSecret(search: string): string {
  const pasted = findPastedKey(search);
  if (pasted !== undefined) return pasted.start;
  const [, id, part] = patterns.longWord.exec(withoutNoise(search)) ?? [];
  return id ?? part ?? search;
}

/** Markdown writes `\_`; chats and terminals break lines, or put characters into words that nobody sees. */
function withoutNoise(text: string): string {
  return text.replace(/[\p{Cf}\0]|\\(?=_)/gu, '');
}

/**
 * @param start what may be in an address, on a page and in a log: `ck_4fK0aZ81bQxT…`, or less if there is no more
 * @param hasSecret whether so much of the secret is there that it must be kept nowhere
 */
function pastedKey(start: string, hasSecret: boolean) {
  return { start, id: /_([0-9A-Za-z]{12})(?![0-9A-Za-z])/.exec(start)?.[1], hasSecret };
}

/** What follows the prefix in a search for a key that was cut short: `4fK0` in `ck_4fK0…`. */
export function startOfId(search: string): string | undefined {
  return /^[a-z][a-z0-9]{1,15}_([0-9A-Za-z]{0,12})…$/.exec(search)?.[1];
}
