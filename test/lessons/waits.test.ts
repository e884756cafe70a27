import { parseWait } from 'concordat';
import type { ClientEvents } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connectVirtually } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, track, until } from '../helpers/until.js';

const minuteMs = 60_000;

describe('a rate limit without a readable wait (W6)', () => {
  it('nothing is sent until the fallback is over, since asking may renew the block; and the pause says that the wait is its own', async () => {
    const connector = await scriptedConnector({
      handle: ({ number, reply }) => (number === 1 ? reply(429, 'slow down') : reply(200, {})),
    });
    const { client, clock } = connectVirtually(connector);
    const pauses: ClientEvents['pause'][] = [];
    client.on('pause', (pause) => pauses.push(pause));
    const call = track(client.get('/items'));
    await until(() => client.status.paused);
    const others = [track(client.get('/a')), track(client.post('/b', { json: {} }))];
    await clock.advance(minuteMs - 1);
    await grace();
    expect(connector.requests).toHaveLength(1);
    expect(pauses).toMatchObject([{ source: 'fallback', waitMs: minuteMs }]);
    await clock.advance(1);
    await until(() => [call, ...others].every(({ settled }) => settled));
    expect(connector.requests).toHaveLength(4);
  });

  it('control: a wait that the connector gave is shown as its own', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => (exchange.number === 1 ? exchange.limit(60) : exchange.reply(200, {})),
    });
    const { client } = connectVirtually(connector);
    const pauses: ClientEvents['pause'][] = [];
    client.on('pause', (pause) => pauses.push(pause));
    track(client.get('/items'));
    await until(() => client.status.paused);
    expect(pauses).toMatchObject([{ source: 'header', waitMs: minuteMs }]);
  });
});

describe('what lenient parsers make of a wait header (W4)', () => {
  // Each of these is a time, or a number, to Date.parse, parseInt or Number.
  const traps = [
    '-3',
    '1.5',
    'Fri, 31 Feb 2026 00:00:00 GMT',
    '',
    ' ',
    '0x10',
    '60abc',
    '-5',
    '+60',
    '1e3',
    'Infinity',
    'NaN',
  ];

  it.each(traps)('%j is invalid', (value) => {
    expect(parseWait(value)).toHaveProperty('invalid');
  });

  it.each([
    ['60', minuteMs],
    [' 60 ', minuteMs],
    ['120, 120', 2 * minuteMs],
    ['0', 0],
  ])('control: %j is a wait', (value, waitMs) => {
    expect(parseWait(value)).toEqual({ waitMs });
  });
});

describe('units and the end of 32 bits (W4)', () => {
  const now = Date.UTC(2038, 0, 19, 3, 14, 0); // eight seconds before a signed 32-bit count of seconds overflows

  it('a minute is a minute in each unit that is named, and another one is never guessed', () => {
    const epochMs = now + minuteMs;
    expect(parseWait('60', { format: 'seconds', now })).toEqual({ waitMs: minuteMs });
    expect(parseWait('60000', { format: 'milliseconds', now })).toEqual({ waitMs: minuteMs });
    expect(parseWait(String(epochMs / 1000), { format: 'epoch-seconds', now })).toEqual({ waitMs: minuteMs });
    expect(parseWait(String(epochMs), { format: 'epoch-milliseconds', now })).toEqual({ waitMs: minuteMs });
    expect(parseWait('60', { format: 'auto', now })).toEqual({ waitMs: minuteMs });
    // Seconds, since that is what the header means: not "surely an epoch".
    expect(parseWait(String(epochMs / 1000), { format: 'auto', now })).toEqual({ waitMs: epochMs });
  });
});
