import { simulateConnector } from 'concordat/testing';

/** A connector to watch: its session ends after six requests, the third one fails, and the fifth is one too many for a second. */
export function startConnector() {
  return simulateConnector({
    credentials: { user: 'ada', password: 'correct horse' },
    session: { maxRequests: 6 },
    faults: [
      { kind: 'status', status: 503, at: 3 },
      { kind: 'limit', waitMs: 1000, at: 5 },
    ],
    routes: {
      'GET /issues/:id': (_request, { params }) => ({ id: params.id, title: `Issue ${params.id}` }),
    },
  }).listen();
}

/** How to log in to it. */
export const initialize = { parameters: { user: 'ada', password: 'correct horse' } };
