import { createRequire } from 'node:module';
import type { Request, RequestHandler, Response } from 'express';

const { version } = createRequire(import.meta.url)('express/package.json') as { version: string };

/** Passes on what the handler rejects with, in Express 4; Express 5 does that itself, and gets the handler as it is. */
export function asyncRoute(handler: (request: Request, response: Response) => Promise<unknown>): RequestHandler {
  if (!version.startsWith('4.')) return handler;
  return (request, response, next) => {
    handler(request, response).catch((error) => next(error ?? new Error('rejected without a reason')));
  };
}
