import path from 'node:path';
import type { Edition } from 'concordat/api-keys';
import { UsageExit } from '../process.js';
import type { FirstUsername } from './first-users.js';

export interface AdministrationOptions {
  /** 0 takes any free port. */
  port: number;
  /** The address to listen on; in a container `0.0.0.0`. @default this machine only */
  hostname: string | undefined;
  /** Absolute. */
  dataDirectory: string;
  /** `postgres://…`; without it the keys are in a SQLite file in the data directory. */
  databaseUrl: string | undefined;
  edition: Edition;
  /** Where not given, the first start makes passwords and prints them. */
  passwords: Readonly<Record<FirstUsername, string | undefined>>;
}

export interface AdministrationFlags {
  once: boolean;
  admin?: boolean;
  port?: number;
  data?: string;
  edition: Edition;
}

const defaultPort = 8080;
const maxPort = 65_535;

/** A port from the command line or the environment; `undefined` when the text is none. */
export function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= maxPort ? port : undefined;
}

/**
 * What the administration is started with: `undefined` when it is not, which is the default of `--once`.
 *
 * @throws UsageExit
 */
export function readAdministration(
  flags: AdministrationFlags,
  environment: Readonly<Record<string, string | undefined>>,
): AdministrationOptions | undefined {
  if (!(flags.admin ?? !flags.once)) return undefined;
  const { PORT, CONCORDAT_DATA, DATABASE_URL } = environment;
  const port = flags.port ?? (PORT ? parsePort(PORT) : defaultPort);
  if (port === undefined) throw new UsageExit(`PORT must be a number from 0 to ${maxPort}.`, 2);
  // Not repeated in the message: a URL of a database holds its password.
  if (DATABASE_URL && !/^postgres(ql)?:\/\//.test(DATABASE_URL)) {
    throw new UsageExit('DATABASE_URL must be a postgres:// URL. Without it the keys are kept in SQLite.', 2);
  }
  return {
    port,
    hostname: environment.HOST || undefined,
    dataDirectory: path.resolve(flags.data || CONCORDAT_DATA || '.data'),
    databaseUrl: DATABASE_URL || undefined,
    edition: flags.edition,
    passwords: {
      admin: environment.CONCORDAT_ADMIN_PASSWORD || undefined,
      uma: environment.CONCORDAT_MANAGER_PASSWORD || undefined,
      sam: environment.CONCORDAT_USER_PASSWORD || undefined,
    },
  };
}
