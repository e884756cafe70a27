import type { ConformanceConfig } from 'concordat/conformance';

/** For `concordat check`: needs REDMINE_USERNAME, REDMINE_PASSWORD and REDMINE_PROJECT in the environment. */
export default {
  probes: {
    initialize: {
      parameters: [
        { key: 'username', value: 'env:REDMINE_USERNAME', sensitive: false },
        { key: 'password', value: 'env:REDMINE_PASSWORD', sensitive: true },
        { key: 'project', value: 'env:REDMINE_PROJECT', sensitive: false },
      ],
    },
    readable: '/issues',
    unknown: '/issues/999999999',
    // Longer than any Redmine allows: refused by Redmine itself, with a 422.
    invalid: { method: 'POST', path: '/issues', json: { title: 'x'.repeat(300) } },
  },
  allowWrites: true,
} satisfies ConformanceConfig;
