import type { McpTool } from 'concordat/admin';

const text = { type: 'text', text: 'This is a simple text response for testing.' };
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const image = { type: 'image', data: pixel, mimeType: 'image/png' };
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const audio = { type: 'audio', data: silence, mimeType: 'audio/wav' };
const resource = { type: 'resource', resource: { uri: 'test://resource', mimeType: 'text/plain', text: 'Embedded.' } };

const returning = (name: string, ...content: readonly object[]): McpTool => ({
  name,
  description: `Returns what the scenario for ${name} expects.`,
  readOnly: true,
  handler: () => ({ content }),
});

/** The tools that the MCP conformance suite calls, as far as a host can have them. */
export const conformanceTools: readonly McpTool[] = [
  returning('test_simple_text', text),
  returning('test_image_content', image),
  returning('test_audio_content', audio),
  returning('test_embedded_resource', resource),
  returning('test_multiple_content_types', text, image, resource),
  returning('test_reconnection', text),
  {
    name: 'test_error_handling',
    description: 'Returns an error.',
    handler: () => ({ isError: true, content: [text] }),
  },
  {
    name: 'json_schema_2020_12_tool',
    description: 'Has a schema with much in it.',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    handler: () => ({ content: [text] }),
  },
];
