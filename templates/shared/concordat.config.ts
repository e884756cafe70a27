/**
 * What of this connector provokes what: for `npm test` and for `npx concordat check`. These are for the bundled sample;
 * with a real product write down what does it there, and take secrets from the environment: process.env.TOKEN ?? ''.
 */
import type { ConformanceConfig } from 'concordat/conformance';

export default {
  probes: {
    initialize: {
      parameters: { user: 'ada', password: 'correct horse' },
      wrongParameters: { user: 'ada', password: 'not the password' },
    },
    readable: '/items', // answers 2xx with a session
    unknown: '/items/0', // 404
    invalid: { method: 'POST', path: '/items', json: { title: '' } }, // 400
    forbidden: '/items/confidential', // 403: denied, no limit
    failing: '/items/archived', // 5xx: the end system fails
    file: {
      request: '/items/7/file', // has to arrive byte for byte
      sha256: '7daca2095d0438260fa849183dfc67faa459fdf4936e1bc91eec6b281b27e4c2',
      contentType: 'image/png',
    },
    limit: { request: '/items/1', times: 200 }, // sent until the end system says stop
    expire: { request: 'POST /cleanup' }, // what ends a session
    cleanup: {}, // POST /cleanup is offered
  },
  allowWrites: true, // what the probes write may be written
} satisfies ConformanceConfig;
