const letters = (letter: string, count: number) => letter.repeat(count);

/** Names of every form, some of which are one name (K3). */
export const names: readonly unknown[] = [
  ...['nightly export', 'Nightly export', ' nightly export ', '\u00a0nightly export\u3000', 'end\n', '\ufefffront'],
  ...['caf\u00e9', 'cafe\u0301', 'CAF\u00c9', '\u212a', 'K', '\u212b', '\u00c5', 'A\u030a', '\uff2b', '\uac00'],
  ...['\u1100\u1161', letters('x', 100), letters('x', 101), ` ${letters('y', 100)} `, letters('😀', 100)],
  ...[letters('😀', 101), letters('e\u0301', 100), letters('e\u0301', 101), '', '   ', 'a  b', '100%', 'under_score'],
  ...['back\\slash', '=1+1', 'a\u200bb', 'a\u00adb', 'line\nbreak', 'tab\there', 'nul\u0000', '\u202eevil', '\u3164'],
  ...['\u115f', 'a\u2028b', '\u2800', '\u200d', '👩\u200d💻', '\u2764\ufe0f', '\u200ca', '\ud800', 'a\u034fb'],
  ...['עברית', "it's", 'null', '1', 'glob*[a-z]?', '"quoted"', undefined, null, 7],
];

export const goodDescriptions: readonly unknown[] = [
  ...[null, undefined, '', '  ', 'Runs on build-7', 'two\nlines', 'two\r\nlines', letters('d', 500)],
  ...[letters('e\u0301', 500), '\u00e9t\u00e9 50%', 'tab\there', 'cr\ronly'],
];

export const badDescriptions: readonly unknown[] = [letters('d', 501), 'nul\u0000', 'a\u200bb', 'lo\ud800ne', 7];

/** Times that are none, or that only look strange (K4). */
export const times: readonly unknown[] = [
  ...['', 'tomorrow', '2027-13-01', '2027-02-29', '2027-01-01T00:00:00', '2028-01-01', 'Invalid Date', '20280101'],
  ...['2027-06-01T12:00:00.5Z', '2027-06-01T12:00Z', new Date(Number.NaN), '2027-06-01T25:00:00Z', ' 2027-06-01'],
  ...[undefined, null, 1_850_000_000_000],
];

export const searches: readonly string[] = [
  ...['key', 'KEY 1', 'ey', '\u00e9', '\u00c9t', '%', '_', '\\', 'ada', 'B', 'export', 'no such', 'x', ' key '],
  ...['e\u0301', 'k', '\uff2b', '*', '[a', '"', 'y 1', '  '],
];
