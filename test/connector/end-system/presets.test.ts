import { errorTable, isConnectorError } from 'concordat';
import { definePreset, endSystemFetch, type PresetName } from 'concordat/connector';
import { describe, expect, test } from 'vitest';
// What a preset says is not public, only what it does; the page about them is made of what they say.
import { presets } from '../../../src/connector/end-system/presets/index.js';
import { endSystem, type Reply } from '../support/end-system.js';
import { replySets } from './replies/index.js';
import type { Outcome, RecordedReply } from './reply-set.js';

const names = Object.keys(presets) as PresetName[];

/** Calls an end system that answers so, over a socket, and says what came of it. */
async function outcomeOf(reply: Reply, preset: PresetName) {
  const url = await endSystem(reply);
  const result = await endSystemFetch({ preset })(`${url}/items/7`).catch((thrown: unknown) => thrown);
  if (result instanceof Response) {
    expect(result.status).toBe(reply.status);
    // A success is handed on whole.
    expect(await result.text()).toBe(textOf(reply.body));
    return 'success';
  }
  if (!isConnectorError(result)) throw result;
  const { kind, status, code, message } = result;
  const waitMs = isConnectorError(result, 'rate-limit') ? result.retryAfterMs : undefined;
  return { kind, status, code, message, waitMs };
}

const textOf = (body: unknown) =>
  typeof body === 'string' || body === undefined ? (body ?? '') : JSON.stringify(body);

function expected(outcome: Outcome) {
  if (outcome === 'success') return 'success';
  const { is, status, code, message, waitMs } = outcome;
  return {
    kind: is,
    status: status ?? errorTable[is].status,
    code: code ?? errorTable[is].code,
    message: message ?? expect.stringMatching(/^GET \/items\/7: the end system responded with \d{3}\b/),
    waitMs,
  };
}

/** The control of a reply: the same answer but for one fact. */
function controlReply({ control, ...reply }: RecordedReply): Reply {
  return { status: reply.status, headers: control?.headers ?? reply.headers, body: control?.body ?? reply.body };
}

describe.each(names)('%s', (name) => {
  const { replies } = replySets[name];

  test.each(replies)('$status, $what', async (reply) => {
    expect(await outcomeOf(reply, name)).toEqual(expected(reply.gives));
    if (reply.control === undefined) return;
    expect(await outcomeOf(controlReply(reply), name), reply.control.what).toEqual(expected(reply.control.gives));
  });

  test('has replies for a limit, an expired login, a denial, something missing and something invalid', () => {
    const kinds = new Set(replies.map(({ gives }) => (gives === 'success' ? gives : gives.is)));
    for (const kind of ['rate-limit', 'unauthorized', 'forbidden', 'not-found', 'bad-request'] as const) {
      expect(kinds).toContain(kind);
    }
  });

  test('has beside each limit an answer of the same status that is none, or has another wait (W2)', () => {
    for (const { what, gives, control } of replies) {
      if (gives === 'success' || gives.is !== 'rate-limit') continue;
      expect(control, what).toBeDefined();
      expect(control?.gives, what).not.toEqual(gives);
    }
  });

  test('says that it was checked against recorded responses only if one is among the replies', () => {
    const { checkedAgainst } = replySets[name];
    if (checkedAgainst !== 'recorded responses') return;
    expect(replies.some(({ recorded }) => recorded !== undefined)).toBe(true);
  });

  test('is a preset, named like itself', () => {
    expect(definePreset(presets[name])).toEqual(presets[name]);
    expect(presets[name].name).toBe(name);
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
  });
});

test.each(names)('%s: every rule decides about one of the replies, so none is there untried', async (name) => {
  // Each rule gives a status of its own instead of what it says, which shows the one that decided.
  const marked = definePreset({
    name: 'marked',
    body: presets[name].body,
    rules: presets[name].rules.map(({ when }, index) => ({ when, is: 'other', status: 500 + index })),
  });
  const decided = new Set<number>();
  for (const reply of replySets[name].replies.flatMap((reply) => [reply, controlReply(reply)])) {
    const fetch = async () => asResponse(reply);
    await endSystemFetch({ preset: marked, fetch })('http://end.system/').catch(({ status }) => decided.add(status));
  }
  for (const index of presets[name].rules.keys()) expect(decided, `rules[${index}]`).toContain(500 + index);
});

function asResponse({ status, headers, body }: Reply): Response {
  const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
  return new Response(status === 204 ? null : textOf(body), { status, headers: { ...type, ...headers } });
}

test('a name that there is not is a TypeError that lists those there are', () => {
  const unknown = 'jira' as PresetName;
  expect(() => endSystemFetch({ preset: unknown })).toThrow(TypeError);
  expect(() => endSystemFetch({ preset: unknown })).toThrow(
    `\`preset\` must be one of ${names.join(', ')}, or made by \`definePreset\`.`,
  );
});
