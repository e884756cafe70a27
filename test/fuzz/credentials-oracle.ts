import { trimBlanks } from './texts.js';

type Pairs = readonly (readonly [string, string])[];

interface Expected {
  /** The users as whom a key may authenticate; `undefined` among them where it may be refused. */
  readonly byKey: readonly (string | undefined)[];
  /** The same where Basic is tried without a key. */
  readonly byAny: readonly (string | undefined)[];
}

const owners = { good: 'u-ada', other: 'u-bob' } as const;
const nobody = [undefined];

/**
 * Whose credentials these headers are, by rule K8: only a whole key that is good, presented once, is anybody's. Where the
 * rule leaves room, such as for blanks around a value that no parser of HTTP would leave there, both outcomes are right.
 *
 * @param isParsed whether the headers have gone through fetch
 */
export function whoseCredentials(pairs: Pairs, values: Readonly<Record<string, string>>, isParsed: boolean): Expected {
  const of = (name: string) => {
    const values = pairs.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value);
    // As fetch does it: blanks are taken away, and headers of one name become one.
    return isParsed && values.length > 0 ? [values.map((value) => trimBlanks(value, ' \t\r\n')).join(', ')] : values;
  };
  const [plain, authorization] = [of('x-api-key'), of('authorization')];
  if (plain.length > 1 || authorization.length > 1) return { byKey: nobody, byAny: nobody };
  const presented = [plain[0], authorization[0]] as const;
  if (presented.every((value) => value === undefined)) return { byKey: nobody, byAny: nobody };
  const owner = ownerOf(presented, values);
  if (owner !== 'unclear') return owner;
  // All that is sure then: a key that authenticates stands there, whole.
  const all = presented.join(' ');
  const possible = Object.entries(owners).flatMap(([name, id]) => (all.includes(values[name] as string) ? [id] : []));
  return { byKey: [undefined, ...possible], byAny: [undefined, ...possible, ...(isRightBasic(all) ? ['u-ada'] : [])] };
}

function ownerOf(
  [plain, authorization]: readonly [string | undefined, string | undefined],
  values: Readonly<Record<string, string>>,
) {
  const scheme = authorization?.split(/[\s,]/)[0]?.toLowerCase();
  if (authorization?.trim() === '') return { byKey: nobody, byAny: nobody };
  const key = scheme === 'apikey' ? /^apikey +([^\s,]+)$/i.exec(authorization ?? '')?.[1] : undefined;
  if (scheme === 'apikey' && key === undefined) return { byKey: nobody, byAny: nobody };
  // Commas in another scheme: one header with parameters, or two that fetch has joined.
  if (scheme !== 'apikey' && authorization?.includes(',')) return 'unclear';
  if (plain?.includes(',')) return { byKey: nobody, byAny: nobody };
  if (plain !== undefined && key !== undefined && plain !== key) return { byKey: nobody, byAny: nobody };
  const value = plain ?? key;
  if (value !== undefined) {
    const name = (['good', 'other'] as const).find((word) => values[word] === value);
    const isPadded = value !== value.trim() || authorization !== authorization?.trim();
    if (isPadded) return 'unclear';
    const byKey = name === undefined ? nobody : [owners[name]];
    return { byKey, byAny: byKey };
  }
  return {
    byKey: nobody,
    byAny: isRightBasic(authorization ?? '')
      ? ['u-ada', ...(/^basic [A-Za-z0-9+/]+=*$/i.test(authorization ?? '') ? [] : nobody)]
      : nobody,
  };
}

/** Buffer reads base64 as leniently as anybody: what it does not read as the right password is none. */
function isRightBasic(authorization: string): boolean {
  const [, encoded] = /^\s*basic\s+(.*)$/is.exec(authorization) ?? [];
  return encoded !== undefined && Buffer.from(encoded, 'base64').toString() === 'ada:the password';
}
