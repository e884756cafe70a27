import { dayMs } from '../../../internal/index.js';
import type { EnglishTexts } from '../texts/english.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Times as text in the language of the pages. Absolute ones are in UTC, as in the forms and the Admin API. */
export function createDates(texts: Pick<EnglishTexts, 'language' | 'months' | 'justNow' | 'inLessThanAMinute'>) {
  const format = new Intl.RelativeTimeFormat(texts.language, { numeric: 'always' });
  const dateOf = (time: string | number) => {
    const date = new Date(time);
    return `${date.getUTCDate()} ${texts.months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  };
  const clockOf = (time: string | number, end: number) => new Date(time).toISOString().slice(11, end);
  return {
    /** `21 Nov 2026, 09:05`, where the page says that it is UTC */
    minute: (time: string | number) => `${dateOf(time)}, ${clockOf(time, 16)}`,
    /** `21 Nov 2026, 09:05 UTC` */
    minuteUtc: (time: string | number) => `${dateOf(time)}, ${clockOf(time, 16)} UTC`,
    /** `21 Nov 2026, 09:05:59 UTC` */
    exact: (time: string | number) => `${dateOf(time)}, ${clockOf(time, 19)} UTC`,
    /** `in 5 days`, `2 hours ago`: whole units, rounded down; only months and years are rounded to the nearest. */
    relative(time: string | number, nowMs: number) {
      const differenceMs = new Date(time).getTime() - nowMs;
      const distanceMs = Math.abs(differenceMs);
      if (distanceMs < minuteMs) return differenceMs <= 0 ? texts.justNow : texts.inLessThanAMinute;
      const [unit, unitMs] = unitFor(distanceMs);
      const count = distanceMs / unitMs;
      return format.format(Math.sign(differenceMs) * (unitMs > dayMs ? Math.round(count) : Math.floor(count)), unit);
    },
  };
}

function unitFor(distanceMs: number): [Intl.RelativeTimeFormatUnit, number] {
  if (distanceMs < hourMs) return ['minute', minuteMs];
  if (distanceMs < dayMs) return ['hour', hourMs];
  if (distanceMs < 60 * dayMs) return ['day', dayMs];
  if (distanceMs < 730 * dayMs) return ['month', 30.4375 * dayMs];
  return ['year', 365.25 * dayMs];
}

/** For `<input type="datetime-local">`: `2026-11-21T09:05`, in UTC. */
export function formatForInput(time: string | number): string {
  return new Date(time).toISOString().slice(0, 16);
}
