import { type Dispatcher, EnvHttpProxyAgent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { type Io, UsageError } from './io.js';

const isProxied = (env: Io['env']) =>
  ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].some((name) => (env[name] ?? '') !== '');

/** Where connectors are developed: a proxy would look for them on its own machine. */
const ownMachine = 'localhost,127.0.0.1,::1,[::1]';

/** Sends what Node's fetch sends through the proxy of the environment, except to this machine and the hosts of `NO_PROXY`. */
export function useProxy(env: Io['env']): void {
  if (!isProxied(env)) return;
  const direct = env.no_proxy ?? env.NO_PROXY ?? '';
  const noProxy = direct.trim() === '*' ? '*' : `${ownMachine},${direct}`;
  try {
    setGlobalDispatcher(new EnvHttpProxyAgent({ noProxy }));
  } catch {
    // Not quoted: a proxy's URL may have a password.
    throw new UsageError('HTTP_PROXY and HTTPS_PROXY must be URLs, such as http://proxy.example:3128.');
  }
}

/** The same for a client, which does not ask for the global dispatcher. */
export const proxyOf = (env: Io['env']): Dispatcher | undefined => (isProxied(env) ? getGlobalDispatcher() : undefined);
