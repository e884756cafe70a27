import { announceQuota, type definePreset, endSystemFetch, type PresetName } from 'concordat/connector';
import { parseQuota } from '../../../src/contract/index.js';
import { endSystem, type Reply } from './end-system.js';
import { send } from './send.js';
import { makeConnector, start, withToken } from './start.js';

/** A connector that asks an end system once for each of its replies, and tells what it was told. */
export async function connectorOf(
  replies: Reply[],
  preset: PresetName | ReturnType<typeof definePreset> = 'generic',
  options: Parameters<typeof makeConnector>[0] = {},
) {
  let asked = 0;
  const url = await endSystem((_request, response) => {
    const { status, headers, body = {} } = replies[asked++ % replies.length] as Reply;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  const fetchEndSystem = endSystemFetch({ preset });
  const connector = makeConnector(options);
  connector.get('/announced', async (c) => {
    const ask = announceQuota(c, fetchEndSystem);
    for (const _ of replies) await ask(url);
    return c.json({});
  });
  connector.get('/raw', async (c) => {
    await announceQuota(c, fetchEndSystem)(url);
    return new Response('raw');
  });
  connector.get('/proxied', (c) => announceQuota(c, fetchEndSystem)(url));
  connector.get('/silent', async (c) => c.text(await (await fetchEndSystem(url)).text()));
  const connectorUrl = await start(connector);
  return (path = '/announced') => send(connectorUrl, { path, headers: withToken });
}

/** What the connector announces after these replies. */
export const announced = async (replies: Reply[], preset?: Parameters<typeof connectorOf>[1]) => {
  const { status, headers } = await (await connectorOf(replies, preset))();
  if (status !== 200) throw new Error(`The connector responded with ${status}.`);
  return parseQuota({
    policy: headers['ratelimit-policy'] as string,
    current: headers.ratelimit as string,
  });
};
