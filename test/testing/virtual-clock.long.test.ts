import { virtualClock } from 'concordat/testing';
import { expect, it } from 'vitest';

it('runAll and runUntil end with an error when timers set timers for ever', async () => {
  const clock = virtualClock();
  const again = () => {
    clock.setTimer(1, again);
  };
  again();
  await expect(clock.runAll()).rejects.toThrow('100000 timers have fired and 1 are still set');
  const never = new Promise(() => {});
  await expect(clock.runUntil(never)).rejects.toThrow('still pending after 1000000 timers have fired');
}, 600_000);
