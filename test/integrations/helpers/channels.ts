import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientChannelEvents, ClientChannelMessage } from 'concordat/client';
import { onTestFinished } from 'vitest';

export type ChannelName = keyof ClientChannelEvents;

export const channelNames: readonly ChannelName[] = [
  ...(['pause', 'resume', 'heartbeat', 'quota', 'initialize', 'retry', 'parked', 'error', 'close'] as const),
  ...(['call', 'attempt', 'wait', 'result'] as const),
];

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
