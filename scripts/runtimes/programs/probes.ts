import type { ConformanceConfig } from 'concordat/conformance';

/** How the conformance kit provokes each response of `connector.ts`. */
export const config = {
  probes: {
    initialize: {
      parameters: { user: 'ada', password: 'correct horse' },
      wrongParameters: { user: 'ada', password: 'not the password' },
    },
    readable: '/issues/7',
    unknown: '/issues/8',
    invalid: { method: 'POST', path: '/issues', json: { title: '' } },
    forbidden: '/secret',
    failing: '/failing',
    file: {
      request: '/file',
      sha256: 'd790e413479d16f4eab89ec0d18e3565e0982bd4788c26736a76d20ea781c901',
      bytes: 64 * 1024,
      contentType: 'image/png',
    },
    limit: { request: '/limited', times: 20 },
    expire: { request: 'POST /cleanup' },
    cleanup: {},
  },
  allowWrites: true,
} satisfies ConformanceConfig;
