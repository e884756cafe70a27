import { countOf } from '../format/count-of.js';
import { englishKeyTexts } from './english-keys.js';

/**
 * Every text of the pages, and the language that they are in. Replace some or all of them with the option `texts`:
 * `texts: { ...german }`.
 */
export const englishTexts = {
  /** For the browser, screen readers, and `Intl`: a BCP 47 tag. */
  language: 'en',
  months: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
  justNow: 'just now',
  inLessThanAMinute: 'in less than a minute',
  timesInUtc: 'All times are in UTC.',
  /** Messages of API keys and of errors, such as `API key name must be unique.`: return a translation. */
  message: (english: string): string => english,
  // The frame of every page.
  skipToContent: 'Skip to content',
  signedInAs: 'Signed in as ',
  administration: 'Administration',
  menuApiKeys: 'API key',
  menuAudits: 'API key audits',
  menuUsers: 'Users',
  error: (title: string): string => `Error: ${title}`,
  cancel: 'Cancel',
  pages: 'Pages',
  pageNumber: (page: number): string => `Page ${page}`,
  partOf: (first: number, last: number, all: string): string =>
    `${first.toLocaleString('en')}–${last.toLocaleString('en')} of ${all}`,
  previous: 'Previous',
  next: 'Next',
  // Signing in and out.
  signIn: 'Sign in',
  signInTo: (product: string): string => `Sign in to ${product}`,
  signOut: 'Sign out',
  signedOut: 'You have signed out.',
  username: 'User name',
  password: 'Password',
  wrongPassword: 'The user name or the password is wrong.',
  signInEnded: 'You were no longer signed in, so nothing was changed. Sign in and repeat what you did.',
  staleSignIn: 'This page was open for too long, or cookies are disabled. Sign in again.',
  tooManyAttempts: (seconds: number): string =>
    `Too many failed attempts. Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`,
  // Errors.
  formExpired: 'This form has expired',
  goToStart: 'Go to the start page',
  somethingWentWrong: 'Something went wrong',
  problems: {
    400: 'Bad request',
    401: 'Not signed in',
    403: 'Not allowed',
    404: 'Not found',
    409: 'No longer possible',
    413: 'Too large',
    415: 'Not a form',
    429: 'Too many attempts',
    503: 'Not available right now',
  } as Readonly<Record<number, string>>,
  ...englishKeyTexts,
  // Audits.
  audits: 'API key audits',
  auditsIntroduction: 'Who created, changed or revoked which key, and when. Entries cannot be changed or deleted.',
  auditEntries: 'Audit entries',
  auditCount: (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}.`,
  exportAs: (format: string): string => `Export ${format}`,
  newestFirst: 'Newest first.',
  author: 'Author',
  changeTime: 'Change Time',
  revisionType: 'Revision Type',
  revisionTypes: { Create: 'Create', Update: 'Update', Revoke: 'Revoke' },
  changes: 'Changes',
  by: (origin: string): string => `by ${origin}`,
  byWithKey: (origin: string, key: string): string => `by ${origin}, with the key ${key}`,
  changedTo: ' changed to ',
  none: 'none',
  onlyAuditsOf: 'Only audits of',
  showAllKeys: 'Show all keys',
  findKeyLabel: 'Find an API key by name or id',
  findKey: 'Find an API key',
  filter: 'Filter',
  authorHint: 'User name',
  origin: 'Origin',
  anyOrigin: 'Any origin',
  origins: { UI: 'UI', API: 'API', MCP: 'MCP', System: 'System' },
  fromDate: 'From (UTC)',
  toDate: 'To (UTC)',
  noAuditMatches: 'No audit entry matches',
  noAuditMatchesHint: 'Nothing was changed by this author, from this origin or in this period. Try another filter.',
  noKeyMatches: (text: string): string => `No API key matches “${text}”`,
  noKeyMatchesHint: 'Search by part of a key’s current name or its creator’s, or by the start of its id.',
  showAllAudits: 'Show the audits of all keys',
  whichKey: 'Which key do you mean?',
  firstMatches: (count: number): string => `The first ${count} that match`,
  noAudits: 'No audit entries',
  noAuditsHint: 'Every change to an API key will be listed here.',
  // Users.
  users: 'Users',
  usersIntroduction:
    'The users who can sign in here. Deleting a user immediately and irreversibly revokes all their Active API keys.',
  userCount: (count: number): string => `${countOf(count, 'user')}.`,
  searchUsersLabel: 'Search by user name or id',
  searchUsersHint: 'User name or id',
  noUserMatches: 'No user matches',
  noUserMatchesHint: 'Search by part of a user name, or by the start of an id.',
  user: 'User',
  rights: 'Rights',
  you: 'You',
  apiKeysOf: (username: string): string => `API keys of ${username}`,
  enabled: 'Enabled',
  disabled: 'Disabled',
  superAdmin: 'Super Admin',
  ownApiKeys: 'Own API keys',
  delete: 'Delete',
  deleteNamed: (username: string): string => `Delete ${username}`,
  deleteQuestion: (username: string): string => `Delete “${username}”?`,
  deletionConsequences:
    'The user can no longer sign in, and all their Active API keys are revoked immediately. Neither can be undone. The keys and their audits stay in the lists.',
  typeToConfirm: 'Type the user name to confirm',
  deleteUser: 'Delete user',
  notTheName: 'This is not the user’s name.',
  userDeleted: (username: string, revoked: number): string =>
    `“${username}” has been deleted. ${countOf(revoked, 'API key')} ${revoked === 1 ? 'was' : 'were'} revoked.`,
};

/** Some texts are functions of what they are about. Every function returns plain text, which is escaped. */
export type EnglishTexts = typeof englishTexts;
