import { type ConnectorClient, type ConnectorClientOptions, createConnectorClient } from 'concordat/client';

/** One end of the synchronization: a repository behind a connector. */
export interface End {
  client: ConnectorClient;
  /** `owner/name` */
  repository: string;
}

export interface Ends {
  source: End;
  target: End;
}

interface EndOptions extends Pick<ConnectorClientOptions, 'state' | 'cleanup' | 'dispatcher'> {
  connectorUrl: string;
  apiUrl: string;
  token: string;
  /** `owner/name` */
  repository: string;
}

/** Opens an end: a client of the GitHub connector that logs in to a repository. */
export function openEnd({ connectorUrl, apiUrl, token, repository, ...options }: EndOptions): End {
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
