import { definePreset } from 'concordat/connector';

/**
 * Redmine's REST API. It answers most failures with a status and no body at all; a 422 holds a list of sentences. It has
 * no limit of its own: a 429 is from the proxy before it.
 */
export const redmine = definePreset({
  name: 'redmine',
  message: ['errors.0'],
  rules: [{ when: { status: [429] }, is: 'rate-limit', wait: [{ header: 'retry-after', unit: 'auto' }] }],
});
