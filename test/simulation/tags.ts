import type { Schedule } from './schedule.js';
import type { Sender } from './trace.js';

/** Which client an entry of the trace is about, and which gate. */
export interface Tags {
  client?: number;
  scope?: string;
}

/** The name of the gate that a request passes; logins pass the first. */
export function scopeOf(by: Sender, scopes: number): string {
  return `s${typeof by === 'number' ? by % scopes : 0}`;
}

/** Who makes a request for this path. */
export function toSender(path: string): Sender {
  if (path === '/initialize') return 'login';
  if (path === '/cleanup') return 'cleanup';
  return Number(path.slice('/items/'.length));
}

/** Whether the schedule makes a new client out of an old one. */
export const hasRestarts = ({ commands }: Schedule): boolean => commands.some(({ type }) => type === 'restart');

/** Whether what one client knows may come from another: then a pause begins without a limit of its own. */
export const isShared = (schedule: Schedule): boolean => schedule.fleet !== undefined || hasRestarts(schedule);

export type ToTags = (client: number, by: Sender | undefined) => Tags;

/** Tags are written only where there are several: the traces of most schedules need none. */
export function createTags(schedule: Schedule): ToTags {
  const { scopes = 1 } = schedule.client;
  const several = isShared(schedule);
  return (client, by) => ({
    ...(several ? { client } : {}),
    ...(scopes > 1 && by !== undefined ? { scope: scopeOf(by, scopes) } : {}),
  });
}
