import { countOf } from '../format/count-of.js';

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
  /** Replaces it where the browser's zone is known, in place of `{zone}`. */
  timesInZone: 'Times are in your time zone, {zone}; point at one for UTC.',
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
  firstPage: 'First page',
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
  staleSignIn: 'This page was open for too long, or cookies are disabled. Sign in again.',
  tooManyAttempts: (seconds: number): string =>
    `Too many failed attempts. Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`,

  // Errors.
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
    503: 'Not available at this moment',
  } as Readonly<Record<number, string>>,

  // API keys in general.
  apiKeys: 'API keys',
  apiKey: 'API key',
  active: 'Active',
  expired: 'Expired',
  revoked: 'Revoked',
  name: 'Name',
  status: 'Status',
  createdBy: 'Created By',
  createdOn: 'Created on',
  expiresOn: 'Expires on',
  lastAccessed: 'Last accessed',
  revokedOn: 'Revoked on',
  key: 'Key',
  action: 'Action',
  never: 'Never',
  edit: 'Edit',
  revoke: 'Revoke',
  editionConsequences:
    'In the current edition you cannot create or edit API keys, and existing keys do not authenticate. You can still list, audit and revoke them.',
  expiresSoon: 'Expires soon',
  usedSince: (count: number, last: string): string => `Used ${countOf(count, 'time')} since, last ${last}`,
  /** Why a key that has ended cannot be changed. */
  hasEnded: (status: 'Expired' | 'Revoked', since: string): string =>
    `This key ${status === 'Revoked' ? 'was revoked' : 'expired'} ${since}. Only an Active key can be edited or revoked, and this one can never be used again. Create a new key instead.`,

  // The list.
  listIntroduction: 'API keys let programs use the Admin API and MCP with your permissions and without your password.',
  createApiKey: 'Create API key',
  createFirstApiKey: 'Create your first API key',
  myApiKeys: 'My API keys',
  allApiKeys: 'All API keys',
  whoseKeys: 'Whose keys',
  all: 'All',
  search: 'Search',
  searchLabel: 'Search by name, creator or id',
  searchHint: 'Search name, creator or id',
  sortBy: 'Sort by',
  sortAsItIs: 'As it is',
  sorts: {
    '-createdOn': 'Newest first',
    createdOn: 'Oldest first',
    name: 'Name',
    createdBy: 'Created by',
    expiresOn: 'Expires first',
    '-lastAccessed': 'Last accessed',
  },
  keyCount: (count: number): string => `${countOf(count, 'API key')}.`,
  /** @param count at most `more` are counted */
  expireWithin: (count: number, more: number, days: number): string => {
    const number = count > more ? `More than ${more} API keys` : countOf(count, 'API key');
    return `${number} ${count === 1 ? 'expires' : 'expire'} within ${days} days.`;
  },
  extendInTime: (count: number): string =>
    `Extend or replace ${count === 1 ? 'it' : 'them'} before the programs that use ${count === 1 ? 'it' : 'them'} are refused.`,
  showThese: (count: number): string => (count === 1 ? 'Show the key' : 'Show these keys'),
  noMatch: 'No API key matches',
  noMatchHint: 'There is no key with this status and this search. Try other words, or look at all of them.',
  clearFilters: 'Clear the filters',
  noApiKeys: 'No API keys',
  noApiKeysYet: 'You have no API keys yet',
  createOneForEach:
    'Create one for each program that uses the Admin API or MCP, so that each can be revoked without stopping the others.',
  noneInThisEdition: 'None can be created with the present edition.',

  /** After a search for the value of a key. */
  foundByValue: 'This is the key with that value, which was not kept. If it has leaked, revoke the key.',

  // Creating and editing.
  actsAsYou: (username: string): string => `The key acts as you, ${username}: it has exactly your permissions.`,
  newApiKey: 'New API key',
  nameHint: 'What the key is for, such as the program that uses it. Up to 100 characters, unique in this service.',
  expiryChoices: { '7': '7 days', '30': '30 days', '90': '90 days', year: '1 year' },
  fromToday: (choice: string): string => `${choice} from today`,
  asItIs: 'As it is',
  custom: 'Custom',
  until: (date: string): string => `until ${date}`,
  dateAndTime: 'Date and time (UTC)',
  createdBefore: (name: string, when: string): string => `You created “${name}” ${when}.`,
  createdBeforeHint:
    'If you only reloaded the page, no second key was created. The value of the first one was shown once and cannot be shown again. If you did not store it, revoke that key and create another one under a new name.',
  showDetails: 'Show the key’s details',
  revokeThatKey: 'Revoke that key',
  replaceApiKey: 'Replace this key',
  replaces: (name: string): string => `The new key takes the place of “${name}”, which stays as it is.`,
  thenRevoke: (name: string): string => `Once your programs use the new key, revoke “${name}”.`,
  showOldKey: 'Show the old key',
  editApiKey: 'Edit API key',
  editNamed: (name: string): string => `Edit ${name}`,
  saveChanges: 'Save changes',
  saved: (name: string): string => `“${name}” has been saved.`,
  changedMeanwhile: 'This key was changed while you were editing it. Your changes have not been saved.',
  changedMeanwhileHint: (name: string, expiresOn: string): string =>
    `It is now called “${name}” and expires on ${expiresOn}. Your input is below: save it to replace these values, or cancel to keep them.`,

  // The new key.
  saveYourKey: 'Save your API key',
  created: (name: string, expiresOn: string): string => `“${name}” has been created. It expires on ${expiresOn}.`,
  theNewKey: 'The new key',
  copyNow: 'Copy the key now: it is shown only this once.',
  copyNowHint: 'Nobody can show it again, not even an administrator. Store it like a password.',
  copy: 'Copy',
  copied: 'Copied to the clipboard.',
  notCopied: 'Not copied. Select the key and copy it yourself.',
  useIt: 'Use it',
  useItHint: 'Send the key in the header x-api-key, or in Authorization after the word ApiKey.',
  haveStored: 'I have stored the key in a safe place',
  done: 'Done',
  leaveWithoutStoring: 'Leave without storing the key?',
  leaveHint: 'Once you leave this page, the key cannot be shown again. You would have to create another one.',
  leave: 'Leave',
  stay: 'Stay here',

  // One key.
  details: 'Details',
  expiresAt: (when: string): string => `This key expires ${when}.`,
  expiresSoonHint: 'Give it a later expiry, or create a new key and switch the programs over to it in time.',
  stillUsed: 'Something still uses this key.',
  stillUsedHint: (count: number, status: 'Expired' | 'Revoked', last: string): string =>
    `It was presented in ${countOf(count, 'request')} after it had ${status === 'Revoked' ? 'been revoked' : 'expired'}, last on ${last}. Every one was refused. Find the program that sends them and give it a new key.`,
  history: 'History',
  auditsOfKey: 'All audits of this key',
  shownOnce: 'The rest was shown once, when the key was created, and is stored nowhere.',

  // Revoking.
  revokeNamed: (name: string): string => `Revoke ${name}`,
  revokeQuestion: (name: string): string => `Revoke “${name}”?`,
  createdByName: (username: string): string => `Created by ${username}`,
  lastUsed: (when: string): string => `Last used: ${when}`,
  revocationConsequences:
    'From this moment every request with this key is refused. This cannot be undone: a revoked key stays in the list but can never be used again.',
  revokeApiKey: 'Revoke API key',
  hasBeenRevoked: (name: string): string => `“${name}” has been revoked. Requests with it are refused from now on.`,
  nothingToRevoke: 'There is nothing to revoke.',
  nothingToRevokeTitle: (name: string): string => `Nothing to revoke: ${name}`,
  goBack: 'Go back',

  // Audits.
  audits: 'API key audits',
  auditsIntroduction: 'Who created, changed or revoked which key, and when. Entries cannot be changed or deleted.',
  auditEntries: 'Audit entries',
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
  noKeyMatches: (text: string): string => `No API key matches “${text}”`,
  noKeyMatchesHint: 'Search by part of a key’s current name or its creator’s, or by the start of its id.',
  showAllAudits: 'Show the audits of all keys',
  whichKey: 'Which key do you mean?',
  firstMatches: (count: number): string => `The first ${count} that match`,
  noAudits: 'No audit entries',
  noAuditsHint: 'Every change of an API key will be listed here.',

  // Users.
  users: 'Users',
  usersIntroduction:
    'The users who can sign in here. Deleting a user immediately and irreversibly revokes all their Active API keys.',
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
