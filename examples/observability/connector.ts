import { simulateConnector } from 'concordat/testing';

/**
 * A connector to watch: its session ends after six requests, its quota of four requests a second is soon used up, and one
 * request in the middle fails.
 */
export function startConnector() {
  return simulateConnector({
    credentials: { user: 'ada', password: 'correct horse' },
    session: { maxRequests: 6 },
    rateLimit: { limit: 4, windowMs: 1000 },
    faults: [{ kind: 'status', status: 503, at: 3 }],
    routes: {
      'GET /issues/:id': (_request, { params }) => ({ id: params.id, title: `Issue ${params.id}` }),
    },
  }).listen();
}

/** How to log in to it. */
export const initialize = { parameters: { user: 'ada', password: 'correct horse' } };
