/** Random numbers that only depend on their seed, and the few shapes that scenarios are made of. */
export interface Random {
  /** From 0 up to, and without, 1. */
  next(): number;
  /** A whole number, both ends included. */
  whole(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Picks by weight: `weighted([[3, 'often'], [1, 'seldom']])`. */
  weighted<T>(items: ReadonlyArray<readonly [weight: number, item: T]>): T;
}

/** The generator known as mulberry32: 32 bits of state, good enough to scatter scenarios. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = <T>(items: readonly T[]) => items[Math.floor(next() * items.length)] as T;
  return {
    next,
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick,
    weighted<T>(items: ReadonlyArray<readonly [number, T]>): T {
      let left = next() * items.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, item] of items) {
        left -= weight;
        if (left < 0) return item;
      }
      return items[items.length - 1]?.[1] as T;
    },
  };
}

/** Seeds of neighboring scenarios that have nothing to do with each other. */
export const seedOf = (seed: number, index: number): number => (Math.imul(seed, 0x9e3779b1) + index) | 0;
