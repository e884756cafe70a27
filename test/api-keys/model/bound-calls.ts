import { type ApiKeys, isApiKeyError } from 'concordat/api-keys';
import { create, revoke, revokeAllOf, update, userDeleted } from './changing.js';
import { changed, idOf } from './host.js';
import { actorOf, auditQueryOf, callerOf, keyId, listQueryOf, pairsOf, type Scene, timeOf } from './inputs.js';
import type { Call } from './operations.js';
import { headersOf, present } from './presenting.js';
import { audits, get, list } from './reading.js';
import { type Around, hasKeys, type Outcome, type Process, personOf, shown, statusOf, type World } from './world.js';

/** A call with everything that it passes, and what the model makes of its outcome. */
export interface BoundCall {
  readonly process: Process;
  readonly text: string;
  /** The key that it changes. */
  readonly changes?: string;
  run(apiKeys: ApiKeys): Promise<unknown>;
  /** The name and the owner of the key that it creates. */
  readonly creates?: { readonly name: unknown; readonly ownerId: string };
  judge(world: World, outcome: Outcome, around: Around): World[];
}

export async function outcomeOf(call: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await call() };
  } catch (error) {
    if (!isApiKeyError(error))
      return { crash: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
    return { error: { kind: error.kind, message: error.message, fieldErrors: error.fieldErrors } };
  }
}

const given = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Whether a key works at the moment, by everything that `verify` would ask. */
function usable(world: World, process: Process, id: string, outcome: Outcome): World[] {
  const key = world.keys.find((one) => one.id === id);
  const owner = key && personOf(world, key.owner.id);
  const isUsable =
    key !== undefined &&
    hasKeys(world) &&
    statusOf(world, process, key) === 'Active' &&
    owner !== undefined &&
    owner.enabled !== false;
  const answer = 'value' in outcome ? outcome.value : undefined;
  // K19: nobody can tell while a look-up fails, unless the key has ended anyway.
  const isRight = world.trouble === 'none' ? answer === isUsable : answer !== true;
  return isRight ? [world, shown(world, process, [id])] : [];
}

export function bind(scene: Scene, call: Call): BoundCall {
  const { world, host, created } = scene;
  const { process } = call;
  const nowMs = world.nowMs[process];
  const bound = (run: BoundCall['run'], judge: BoundCall['judge'], with_: unknown, changes?: string): BoundCall => {
    const text = `${call.kind} ${JSON.stringify({ process, with: with_ })}`;
    return { process, text, run, judge, ...(changes !== undefined && { changes }) };
  };
  if (call.kind === 'usable') {
    const id = keyId(created, call.key);
    return bound(
      (keys) => keys.isUsable(id),
      (then, outcome) => usable(then, process, id, outcome),
      id,
    );
  }
  if (call.kind === 'present') {
    const pairs = pairsOf(scene, call);
    const headers = headersOf(pairs, call.as);
    const from = call.address === null ? undefined : { address: call.address };
    return bound(
      (keys) => (call.told ? keys.verify(headers, undefined, from) : keys.authenticate(headers, from)),
      (then, outcome) => present(then, { process, pairs, address: call.address }, outcome, call.told),
      { pairs, as: call.as, address: call.address },
    );
  }
  const caller = callerOf(scene, call);
  if (call.kind === 'get') {
    const id = keyId(created, call.key);
    return bound(
      (keys) => keys.get(caller, id),
      (then, outcome) => get(then, process, caller, id, outcome),
      { caller, id },
    );
  }
  if (call.kind === 'list') {
    const query = listQueryOf(scene, call.query);
    return bound(
      (keys) => keys.list(caller, query),
      (then, outcome) => list(then, process, caller, query, outcome),
      { caller, query },
    );
  }
  if (call.kind === 'audits') {
    const query = auditQueryOf(scene, call.query, nowMs);
    return bound(
      (keys) => keys.audits(caller, query),
      (then, outcome) => audits(then, process, caller, query, outcome),
      { caller, query },
    );
  }
  const actor = actorOf(caller, call.lies);
  switch (call.kind) {
    case 'create': {
      const fields = given({ name: call.name, description: call.description, expiresOn: timeOf(call.expiry, nowMs) });
      // K16: nobody can name another owner.
      const input = call.owner ? { ...fields, createdBy: { id: 'u-sue', username: 'sue' }, userId: 'u-sue' } : fields;
      const creation = bound(
        (keys) => keys.create(actor, input as never),
        (then, outcome, around) => create(then, process, caller, fields, outcome, around),
        { caller, input },
      );
      return { ...creation, creates: { name: fields.name, ownerId: caller.userId } };
    }
    case 'update': {
      const id = keyId(created, call.key);
      const version =
        call.version === null ? undefined : (world.keys.find((key) => key.id === id)?.version ?? 1) + call.version;
      const expiresOn = call.expiry === null ? undefined : timeOf(call.expiry, nowMs);
      const fields = given({ name: call.name, description: call.description, expiresOn, version });
      return bound(
        (keys) => keys.update(actor, id, fields as never),
        (then, outcome, around) => update(then, { process, caller, id }, fields, outcome, around),
        { caller, id, fields },
        id,
      );
    }
    case 'revoke': {
      const id = keyId(created, call.key);
      const judge: BoundCall['judge'] = (then, outcome) => revoke(then, { process, caller, id }, outcome);
      return bound((keys) => keys.revoke(actor, id), judge, { caller, id }, id);
    }
    case 'revoke-all': {
      const userId = idOf(call.user);
      const judge: BoundCall['judge'] = (then, outcome) => revokeAllOf(then, process, caller, userId, outcome);
      return bound((keys) => keys.revokeAllOf(actor, userId), judge, { caller, userId });
    }
    default: {
      const userId = idOf(call.user);
      const gone = (people: World['people']) => (call.removed ? changed(people, userId, 'remove') : people);
      return bound(
        (keys) => {
          host.people = gone(host.people);
          return keys.userDeleted(actor, userId);
        },
        (then, outcome) => userDeleted({ ...then, people: gone(then.people) }, process, caller, userId, outcome),
        { caller, userId, removed: call.removed },
      );
    }
  }
}

/** K17: of two changes of one key at the same time, one may lose against the other. */
export const isContended = (calls: readonly BoundCall[], outcomes: readonly Outcome[], at: number) =>
  calls.some(
    ({ changes }, other) =>
      other !== at && changes !== undefined && changes === calls[at]!.changes && 'value' in outcomes[other]!,
  );
