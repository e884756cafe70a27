import { z } from 'zod';
import type { JsonSchema } from './tool-types.js';

/** Without `$schema`: validators of clients that know another dialect would refuse it. */
export function toToolSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return { ...rest, type: 'object' };
}
