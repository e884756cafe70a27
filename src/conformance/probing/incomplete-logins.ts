import type { SessionParameter } from '../../contract/index.js';
import type { Exchange } from './exchange.js';
import { hasSucceeded, type Prober } from './prober.js';
import { initializeIsThere } from './with-session.js';

/** Each counts as a failed login somewhere. */
const mostLeftOut = 4;

/** A login without its address may go to a default one, with the credentials in it. */
const addressName = /url|uri|host|server|address|endpoint|domain|instance|site|tenant/i;
const addressValue = /^(?:[a-z][a-z\d+.-]*:\/\/|\[|localhost\b|[\w.-]+\.(?:[a-z]{2,24}|\d{1,3})(?::\d+)?(?:\/|$))/i;

export interface IncompleteLogin {
  /** "without `password`", "without parameters" */
  readonly what: string;
  /** What was sent. */
  readonly parameters: readonly SessionParameter[];
  readonly seen: Exchange;
}

/**
 * Logs in with one parameter left out at a time, and without any. A whole login comes between two of them, because connectors
 * lock accounts after a few failures in a row; where that fails, there are no more. Once for all cases.
 */
export function incompleteLogins(prober: Prober): Promise<IncompleteLogin[]> {
  return prober.once('incomplete logins', async () => {
    await initializeIsThere(prober);
    const made: IncompleteLogin[] = [];
    for (const login of incomplete(prober.settings.initialize.parameters ?? [])) {
      if (prober.canLogIn && !hasSucceeded(await prober.logIn())) break;
      made.push({ ...login, seen: await prober.postWrong(JSON.stringify(login.parameters)) });
    }
    if (prober.canLogIn && made.length > 0) await prober.logIn();
    return made;
  });
}

function incomplete(parameters: readonly SessionParameter[]): Omit<IncompleteLogin, 'seen'>[] {
  const mayBeLeftOut = parameters.filter(({ key, value }) => !addressName.test(key) && !addressValue.test(value));
  const leftOut = parameters.length > 1 ? mayBeLeftOut.slice(0, mostLeftOut) : []; // without the only one, there are none
  return [
    ...leftOut.map(({ key }) => ({
      what: `without \`${key}\``,
      parameters: parameters.filter((each) => each.key !== key),
    })),
    { what: 'without parameters', parameters: [] },
  ];
}
