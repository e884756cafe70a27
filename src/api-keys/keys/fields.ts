import { validationError } from '../api-key-error.js';
import type { Context } from '../context.js';
import { isNameTaken } from '../store/index.js';
import { readExpiry } from './expiry.js';
import { nameNotUnique, readDescription, readName } from './key-texts.js';

export async function readFields(
  context: Context,
  input: { name?: unknown; description?: unknown; expiresOn?: unknown },
  { required, nowMs, keyId }: { required: boolean; nowMs: number; keyId: string | undefined },
): Promise<{ name: string | undefined; description: string | undefined; expiresOnMs: number | undefined }> {
  const name = required || input.name !== undefined ? readName(input.name) : undefined;
  const expiry = required || input.expiresOn !== undefined ? readExpiry(input.expiresOn, nowMs) : undefined;
  const description = required || input.description !== undefined ? readDescription(input.description) : undefined;
  const isWrong = [name, description, expiry].some((reading) => reading?.error !== undefined);
  // The unique index decides; checking here as well lets a form show all messages at once (rule K13).
  const isTaken = isWrong && name?.value !== undefined && (await isNameTaken(context.store.kysely, name.value, keyId));
  const errors = [isTaken ? nameNotUnique : name?.error, description?.error, expiry?.error].filter(
    (error) => error !== undefined,
  );
  if (errors.length > 0) throw validationError(errors);
  return { name: name?.value, description: description?.value, expiresOnMs: expiry?.value };
}
