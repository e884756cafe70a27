import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientChannelEvents, ClientChannelMessage, ClientEventName } from 'concordat/client';
import { onTestFinished } from 'vitest';

export type ChannelName = keyof ClientChannelEvents;

/** Those that a client's listeners get, too. */
export const eventNames: readonly ClientEventName[] = [
  'pause',
  'resume',
  'heartbeat',
  'quota',
  'initialize',
  'retry',
  'parked',
  'error',
  'close',
];
export const channelNames: readonly ChannelName[] = [...eventNames, 'call', 'attempt', 'wait', 'result'];

/** Listens on a channel of the client until the test ends. */
export function onMessage<Name extends ChannelName>(
  name: Name,
  listener: (message: ClientChannelMessage<Name>) => void,
): () => void {
  const channel = `concordat:client:${name}`;
  const handle = (message: unknown) => listener(message as ClientChannelMessage<Name>);
  subscribe(channel, handle);
  const stop = () => {
    unsubscribe(channel, handle);
  };
  onTestFinished(stop);
  return stop;
}

/** Everything on all channels, in order. */
export function allMessages(): { name: ChannelName; message: ClientChannelMessage<ChannelName> }[] {
  const messages: { name: ChannelName; message: ClientChannelMessage<ChannelName> }[] = [];
  for (const name of channelNames) onMessage(name, (message) => messages.push({ name, message }));
  return messages;
}
