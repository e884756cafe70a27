import { onTestFinished } from 'vitest';
import { openLinks } from './silent-links.js';

/** A way to a server through which connections die as behind a load balancer: nothing arrives any more, and nobody is told. */
export async function proxy(targetUrl: string) {
  const state = { swallowsNew: false };
  const { url, links, close } = await openLinks(Number(new URL(targetUrl).port), () => state.swallowsNew);
  onTestFinished(close);
  return {
    url,
    /** From now on nothing passes through the connections there are, or through those that have sent this word. */
    silence(word = '') {
      for (const link of links) if (link.sent.includes(word)) link.silent = true;
    },
    /** Ends the connections that have sent this word: whoever opened them is told. */
    cut(word: string) {
      for (const { near, sent } of links) if (sent.includes(word)) near.destroy();
    },
    /** Whether new connections are silent from their beginning. */
    swallowNew(swallowsNew: boolean) {
      state.swallowsNew = swallowsNew;
    },
    /** How many were ever opened. */
    get connections() {
      return links.length;
    },
    /** How often this word was sent, also in vain. */
    count: (word: string) => links.reduce((count, { sent }) => count + sent.split(word).length - 1, 0),
  };
}
