import { type ConnectorClientOptions, createConnectorClient } from 'concordat/client';
import type { End } from './engine.js';

interface ConnectionOptions extends Pick<ConnectorClientOptions, 'state' | 'cleanup' | 'dispatcher'> {
  connectorUrl: string;
  apiUrl: string;
  token: string;
  /** `owner/name` */
  repository: string;
}

/** One end: a client of the GitHub connector that logs in to a repository. */
export function connect({ connectorUrl, apiUrl, token, repository, ...options }: ConnectionOptions): End {
  const client = createConnectorClient({
    baseUrl: connectorUrl,
    initialize: {
      parameters: [
        { key: 'baseUrl', value: apiUrl, sensitive: false },
        { key: 'token', value: token, sensitive: true },
        { key: 'repository', value: repository, sensitive: false },
      ],
    },
    ...options,
  });
  return { client, repository };
}
