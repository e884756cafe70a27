/**
 * The probes for `npm test` and `npx concordat check`: requests that provoke each kind of response. These fit the bundled
 * sample; replace them with requests for your product, and read secrets from the environment: process.env.TOKEN ?? ''.
 */
import type { ConformanceConfig } from 'concordat/conformance';

export default {
  probes: {
    initialize: {
      parameters: { user: 'ada', password: 'correct horse' },
      wrongParameters: { user: 'ada', password: 'not the password' },
    },
    readable: '/items', // 2xx with a session
    unknown: '/items/0', // 404
    invalid: { method: 'POST', path: '/items', json: { title: '' } }, // 400
    forbidden: '/items/confidential', // 403: denied, not a rate limit
    failing: '/items/archived', // 5xx: the end system fails
    file: {
      request: '/items/7/file', // must arrive byte for byte
      sha256: '7daca2095d0438260fa849183dfc67faa459fdf4936e1bc91eec6b281b27e4c2',
      contentType: 'image/png',
    },
    limit: { request: '/items/1', times: 200 }, // sent until the end system refuses
    expire: { request: 'POST /cleanup' }, // ends a session
    cleanup: {}, // the connector has POST /cleanup
  },
  allowWrites: true, // the probes may write
} satisfies ConformanceConfig;
