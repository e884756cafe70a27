import { errorPayloadSchema, losesWhitespace, sessionProblems, toSessionParameters } from '../../contract/index.js';
import { parseJson, printable } from '../../internal/index.js';
import { type CaseDefinition, casesWith, isOneOf } from '../case.js';
import { type Exchange, shorten, summarize } from '../probing/exchange.js';
import { lacksServedSession, lacksSession } from '../probing/lacks.js';
import { CannotCheck, type Completed, hasResponse } from '../probing/limits.js';
import { hasSucceeded, isSuccess, type Prober, sessionOf } from '../probing/prober.js';
import { takeReadable } from '../probing/with-session.js';
import { errorProblem } from '../wording/error-body.js';
import { onlyCookie, sessionShapeProblem } from '../wording/session-shape.js';
import { ofSample } from './sample-status.js';

export const loginCases = casesWith({ feature: 'session', lacks: lacksSession }, [
  {
    id: 'session.initialize',
    rule: 'S1',
    title: 'initialize logs in with valid parameters',
    why: 'Without a session there is no synchronization.',
    async check(judge) {
      const login = await judge.prober.login();
      const status = judge.response(login)?.response.status;
      if (status === undefined || isSuccess(status)) return;
      const takesObject = isOneOf(400, 401, 403, 415, 422, 500)(status) && (await takesAnObject(judge.prober));
      const refusal = takesObject ? undefined : refusalOf(judge.prober, login);
      if (refusal !== undefined)
        throw new CannotCheck(`the login was refused (${refusal}). Are the parameters of the login right?`);
      const hint = takesObject
        ? 'initialize takes an object, but the service sends an array of {key, value, sensitive}'
        : 'expected a success (2xx)';
      judge.found(login, `; ${hint}`);
    },
  },
  {
    id: 'session.answer',
    rule: 'S1',
    title: 'initialize returns the session as an array of {key, value, sensitive}',
    why: 'Each entry becomes a header of every later request. The service cannot use any other shape.',
    async check(judge) {
      const login = await successfulLogin(judge.prober);
      const problem = sessionShapeProblem(login.response);
      if (problem !== undefined) judge.found(login, `: ${problem}`);
      else if (await isOnlyCookie(judge.prober, login)) judge.found(login, `: ${onlyCookie}`);
    },
  },
  {
    id: 'session.answer-is-array',
    rule: 'S1',
    severity: 'warning',
    title: 'The session is an array, not a plain object',
    why: 'The service also reads {"name": "value"}, but an object cannot say which values are secret.',
    async check(judge) {
      const { login, session } = await readableLogin(judge.prober);
      if (!Array.isArray(session)) judge.found(login, `: the body is a plain object`);
    },
  },
  {
    id: 'session.header-safe',
    rule: 'S2',
    title: 'The session can be sent as headers',
    why: 'A line break in a value or a name such as Host would corrupt every later request, so the service refuses the login. A space at either end of a value is lost.',
    async check(judge) {
      const { login, session } = await readableLogin(judge.prober);
      const entries = toSessionParameters(session) ?? [];
      for (const problem of sessionProblems(entries)) judge.found(login, `: ${problem}`);
      for (const { key } of entries.filter(({ value }) => losesWhitespace(value))) {
        judge.found(login, `: the value of "${key}" starts or ends with whitespace, which a header loses`);
      }
    },
  },
  {
    id: 'session.sensitive',
    rule: 'E5',
    title: 'At least one value of the session is marked as sensitive',
    why: 'Whoever has the session gets in. A value that is not marked as sensitive may be logged and shown in errors.',
    async check(judge) {
      const { login, session } = await readableLogin(judge.prober);
      if (!Array.isArray(session) || session.length === 0) return;
      const isOpen = session.every(({ sensitive }) => sensitive === false);
      if (isOpen) judge.found(login, `: every value says \`"sensitive": false\`, the token too`);
    },
  },
  {
    id: 'session.wrong-password',
    rule: 'S5',
    title: 'Wrong parameters get a 400, 401 or 403, and no session',
    why: 'These are final: the service stops and tells its user. It retries on other statuses, until the account is locked.',
    ...ofSample('wrong-password', (judge, seen) => {
      judge.refusal(seen);
      const value = parseJson(seen.response?.body ?? '');
      if (Array.isArray(value) && toSessionParameters(value)?.length) {
        judge.found(seen, `: the body contains a session`);
      }
    }),
  },
  {
    id: 'session.chunked-body',
    rule: 'D2',
    title: 'A login that is sent in chunks logs in, too',
    why: 'An upload that the service streams has no length and comes in chunks. A connector that reads only as many bytes as content-length says stores an empty file, and reports a success.',
    async check(judge) {
      const { prober, settings } = judge;
      await successfulLogin(prober);
      const body = JSON.stringify(settings.initialize.parameters);
      const isRead = (seen: Exchange) => hasSucceeded(seen) || seen.response?.status === 411;
      if (isRead(await prober.postWrong(body, { chunked: true }))) return;
      if (!hasSucceeded(await prober.logIn())) throw new CannotCheck('the login is refused by now, also with a length');
      const again = await prober.postWrong(body, { chunked: true }); // once may be chance
      if (!isRead(again)) judge.found(again, unreadChunks);
    },
  },
]);

const unreadChunks =
  '; with content-length the same login succeeds. Read bodies with `transfer-encoding: chunked` to their end, or refuse them with 411';

/** A limit of logins that nobody announced shows when they follow each other at once. */
const inARow = 3;

/** Every login so far, and some more. It comes last. */
export const everyLoginCase: CaseDefinition = {
  id: 'logins.repeated',
  rule: 'W2',
  feature: 'session',
  title: 'Valid parameters log in every time, or get a rate limit with the wait header',
  why: 'The service logs in again whenever a session has ended. After a 400, 401 or a 403 without the header it gives up.',
  lacks: lacksSession,
  async check(judge) {
    const { prober } = judge;
    for (let times = 0; times < inARow && isGood(prober.logins.at(-1)); times++) await prober.logIn();
    const first = prober.logins.findIndex(isGood);
    if (first < 0) throw new CannotCheck('logging in failed');
    const refused = prober.logins.slice(first).find((login) => !isGood(login));
    if (refused === undefined) return;
    const isDenied = refused.response?.status === 403;
    const limit = isDenied ? ` without ${judge.settings.rateLimit.header}, so no rate limit` : '';
    judge.found(refused, `${limit}, although the same parameters had logged in before`);
  },
};

const isGood = (login: Exchange | undefined) => login === undefined || hasSucceeded(login);

/** What a refusal of the parameters says, which the contract allows (rule S5); `undefined` for any other failure. */
function refusalOf({ limits, secrets }: Prober, login: Exchange): string | undefined {
  if (!hasResponse(login) || !isOneOf(400, 401, 403)(login.response.status) || limits.isLimit(login)) return undefined;
  if (errorProblem(login) !== undefined) return undefined;
  const { code, message } = errorPayloadSchema.parse(parseJson(login.response.body)).errors;
  // Masked as it was sent: what is shortened no longer shows where a secret is.
  const said = secrets.mask(`${code}: ${message}`).replace(/\s+/g, ' ');
  return `${summarize(login)} ${shorten(printable(said), 300)}`;
}

/** Whether initialize logs in with `{"user": …}`. */
async function takesAnObject(prober: Prober): Promise<boolean> {
  const parameters = (prober.settings.initialize.parameters ?? []).map(({ key, value }) => [key, value]);
  return hasSucceeded(await prober.postWrong(JSON.stringify(Object.fromEntries(parameters))));
}

/** The shared login. @throws CannotCheck when it was refused: another case reports that. */
async function successfulLogin(prober: Prober) {
  const login = await prober.login();
  if (hasSucceeded(login)) return login;
  throw new CannotCheck(`logging in failed (${summarize(login)})`);
}

/** Whether the session is empty and came with a cookie, which proxies set, too: then requests succeed without a session. */
async function isOnlyCookie(prober: Prober, login: Completed): Promise<boolean> {
  if (sessionOf(login)?.length !== 0 || !login.response.headers.has('set-cookie')) return false;
  return lacksServedSession(prober) !== undefined || !hasSucceeded(await takeReadable(prober));
}

/** The same with its session, as it came. @throws CannotCheck also when the client could not read it. */
async function readableLogin(prober: Prober) {
  const login = await successfulLogin(prober);
  const session = parseJson(login.response.body);
  if (toSessionParameters(session) === undefined)
    throw new CannotCheck('the login returned no session that can be read');
  return { login, session };
}
