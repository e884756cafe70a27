/**
 * The end systems that `concordat new` offers, by the names of the presets of concordat/connector. A list of its own,
 * because the command loads no connector; a test keeps both equal.
 */
export const endSystems: readonly { preset: string; title: string }[] = [
  { preset: 'generic', title: 'None of these: judge by the usual statuses and headers' },
  { preset: 'github', title: 'GitHub' },
];
