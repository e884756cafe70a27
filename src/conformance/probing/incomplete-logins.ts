import type { SessionParameter } from '../../contract/index.js';
import type { Exchange } from './exchange.js';
import { hasSucceeded, type Prober } from './prober.js';
import { initializeIsThere } from './with-session.js';

/** Each may count as a failed login, and connectors lock accounts. */
const mostLeftOut = 10;

/** A login without its address may go to a default one, with the credentials in it. */
const looksLikeAddress = /^(?:[a-z][a-z\d+.-]*:\/\/.*|[\w.-]+\.(?:[a-z]{2,24}|\d{1,3})(?::\d+)?)$/i;

export interface IncompleteLogin {
  /** "without `password`", "without parameters" */
  readonly what: string;
  readonly seen: Exchange;
}

/** Logs in with one parameter left out at a time, and without any. Nothing where the whole login fails. Once for all cases. */
export function incompleteLogins(prober: Prober): Promise<IncompleteLogin[]> {
  return prober.once('incomplete logins', async () => {
    await initializeIsThere(prober);
    const made: IncompleteLogin[] = [];
    if (prober.canLogIn && !hasSucceeded(await prober.login())) return made;
    for (const { what, parameters } of incomplete(prober.settings.initialize.parameters ?? [])) {
      made.push({ what, seen: await prober.postInitialize(parameters) });
    }
    return made;
  });
}

function incomplete(parameters: readonly SessionParameter[]) {
  const leftOut = parameters.filter(({ value }) => !looksLikeAddress.test(value)).slice(0, mostLeftOut);
  return [
    ...leftOut.map(({ key }) => ({
      what: `without \`${key}\``,
      parameters: parameters.filter((each) => each.key !== key),
    })),
    { what: 'without parameters', parameters: [] },
  ].filter(({ parameters: some }, index, all) => some.length > 0 || index === all.length - 1);
}
