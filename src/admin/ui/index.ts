import { Hono } from 'hono';
import type { AdminContext } from '../context.js';

/** The administration UI. Its routes start with `context.basePath`. */
export function uiRoutes(context: AdminContext): Hono {
  return new Hono().basePath(context.basePath);
}
