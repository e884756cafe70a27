import { UnauthorizedError } from 'concordat';
import { endSystemFetch, readResponse } from 'concordat/connector';
import { z } from 'zod';

/** The product's token endpoint, and the client that is registered there for this connector. */
export interface OAuthClient {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}

/** What the connector keeps of an answer. */
export interface Tokens {
  accessToken: string;
  /** Only where the product hands out a new one: it takes the place of the one before. */
  refreshToken?: string | undefined;
  /** Epoch milliseconds. */
  expiresAt: number;
}

const answerSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().positive().default(3600),
});

const call = endSystemFetch({
  // RFC 6749, 5.2: these are a 400 of the token endpoint. For the service they are what a wrong password is: a 401.
  translate: ({ json }) => {
    const { error, error_description: message } = Object(json) as { error?: string; error_description?: string };
    if (error !== 'invalid_grant' && error !== 'invalid_client') return undefined;
    return new UnauthorizedError(message ?? 'The authorization is over: authorize the connection again.', {
      code: error,
    });
  },
});

/**
 * Asks the token endpoint.
 *
 * @throws UnauthorizedError when the grant is over, and what `endSystemFetch` throws.
 */
export async function requestTokens(client: OAuthClient, grant: Record<string, string>): Promise<Tokens> {
  const credentials = `${encodeURIComponent(client.clientId)}:${encodeURIComponent(client.clientSecret)}`;
  const answer = await call(client.tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}`, accept: 'application/json' },
    body: new URLSearchParams(grant),
  });
  const { access_token, refresh_token, expires_in } = await readResponse(answer, answerSchema);
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt: Date.now() + expires_in * 1000 };
}
