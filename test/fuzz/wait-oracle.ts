import type { WaitFormat } from 'concordat';
import { trimBlanks } from './texts.js';

export interface Read {
  readonly format: WaitFormat;
  readonly now: number;
  readonly date: string | undefined;
  readonly age: string | undefined;
}

const longestWaitMs = Number.MAX_SAFE_INTEGER;
const longestValue = 1024;

/**
 * What rules W4, W5 and E8 make of a header: the waits that are right, `undefined` for one that cannot be read. It is
 * written for clearness and not for speed, and another way than the reader: dates are written anew and compared.
 */
export function acceptableWaits(value: string, options: Read): readonly (number | undefined)[] {
  if (value.length > longestValue) return [undefined];
  const { sure, unsure } = readings(value, options);
  const least = sure.length === 0 ? undefined : Math.max(...sure);
  return [least, ...unsure.filter((waitMs) => least === undefined || waitMs > least)];
}

/** Each item of the list, and each two that stand beside each other: the comma in between may belong to a date. */
function readings(value: string, options: Read) {
  const pieces = value.split(',');
  const sure: number[] = [];
  const unsure: number[] = [];
  for (const [index, piece] of pieces.entries()) {
    const waitMs = readOne(trimBlanks(piece), options);
    // After a weekday it may be the rest of a bad date as well as a header of its own.
    const afterWeekday = /^[ \t]*[A-Za-z]+$/.test(pieces[index - 1] ?? '');
    if (waitMs !== undefined) (afterWeekday ? unsure : sure).push(waitMs);
    const both = index === 0 ? undefined : readOne(trimBlanks(`${pieces[index - 1]},${piece}`), options);
    if (both !== undefined) sure.push(both);
  }
  return { sure, unsure };
}

function readOne(item: string, { format, now, date, age }: Read): number | undefined {
  const isDated = typeof date === 'string' && date.length <= longestValue && typeof age !== 'string';
  const reference = (isDated ? readHttpDate(date.trim(), now) : undefined) ?? now;
  const number = /^\d+$/.test(item) ? Number(item) : undefined;
  const moments = {
    'http-date': readHttpDate(item, reference),
    'iso-8601': readIso(item),
    'epoch-seconds': number === undefined ? undefined : number * 1000,
    'epoch-milliseconds': number,
  };
  const wait = (moment: number | undefined) => (moment === undefined ? undefined : Math.max(0, moment - reference));
  const seconds = number === undefined ? undefined : number * 1000;
  const found = {
    ...{ seconds, milliseconds: number, auto: seconds ?? wait(moments['http-date']) },
    ...{ 'http-date': wait(moments['http-date']), 'iso-8601': wait(moments['iso-8601']) },
    ...{ 'epoch-seconds': wait(moments['epoch-seconds']), 'epoch-milliseconds': wait(moments['epoch-milliseconds']) },
  }[format];
  return found === undefined ? undefined : Math.min(found, longestWaitMs);
}

/** Makes any of the three forms an IMF-fixdate, and asks whether the calendar writes the moment in the same way. */
function readHttpDate(text: string, reference: number): number | undefined {
  const imf = /^(\w{3}), (\d\d) (\w{3}) (\d{4}) ([\d:]{8}) GMT$/.exec(text);
  if (imf) return readImf(text);
  const asctime = /^(\w{3}) (\w{3}) ([ \d]\d) ([\d:]{8}) (\d{4})$/.exec(text);
  if (asctime) {
    const [, weekday, month, day, time, year] = asctime as unknown as string[];
    return readImf(`${weekday}, ${day?.replace(' ', '0')} ${month} ${year} ${time} GMT`);
  }
  const rfc850 = /^((?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day), (\d\d)-(\w{3})-(\d\d) ([\d:]{8}) GMT$/.exec(text);
  if (!rfc850) return undefined;
  const [, weekday = '', day, month, year, time] = rfc850 as unknown as string[];
  const horizon = new Date(reference);
  horizon.setUTCFullYear(horizon.getUTCFullYear() + 50);
  // The latest year that is not more than 50 years ahead, whatever its weekday is; the weekday has to fit then.
  for (let full = horizon.getUTCFullYear(); ; full--) {
    if (full % 100 !== Number(year)) continue;
    const moment = momentOf(`${day} ${month} ${full} ${time}`);
    if (moment !== undefined && moment > horizon.getTime()) continue;
    return readImf(`${weekday.slice(0, 3)}, ${day} ${month} ${full} ${time} GMT`);
  }
}

function readImf(text: string): number | undefined {
  // A leap second has no moment of its own here: it is the first one of the next day.
  const isLeap = text.endsWith(' 23:59:60 GMT');
  const plain = isLeap ? text.replace(':60 GMT', ':59 GMT') : text;
  const moment = momentOf(plain.slice(5, -4));
  if (moment === undefined || new Date(moment).toUTCString() !== plain) return undefined;
  return moment + (isLeap ? 1000 : 0);
}

const months = 'JanFebMarAprMayJunJulAugSepOctNovDec';

function momentOf(text: string): number | undefined {
  const [day, month = '', year, time = ''] = text.split(' ');
  const [hour, minute, second] = time.split(':').map(Number);
  const index = months.indexOf(month) / 3;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), index, Number(day));
  date.setUTCHours(hour ?? 0, minute, Math.min(second ?? 0, 59));
  return Number.isInteger(index) && index >= 0 ? date.getTime() : undefined;
}

const iso = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(:\d\d)?(\.\d{1,9})?(?:Z|([+-])(\d\d):?(\d\d))$/;

function readIso(text: string): number | undefined {
  const [, day, hour, minute, seconds = ':00', fraction = '.0', sign = '+', zoneHour = '00', zoneMinute = '00'] =
    iso.exec(text) ?? [];
  if (day === undefined || (/T\d\d:\d\d\./.test(text) && seconds === ':00')) return undefined;
  if (Number(hour) > 23 || Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined;
  const plain = `${day}T${hour}:${minute}${seconds}.000Z`;
  const moment = Date.parse(plain);
  if (Number.isNaN(moment) || new Date(moment).toISOString() !== plain) return undefined;
  const zoneMs = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000 * (sign === '-' ? -1 : 1);
  return moment + Number(`0${fraction}`) * 1000 - zoneMs;
}
