import type { headerForms } from './presenting.js';
import type { Process } from './world.js';

/** An expiry, in relation to the clock of the process at that moment. */
export type Expiry =
  | { readonly inMs: number; readonly as: 'date' | 'z' | 'offset' }
  | { readonly inDays: number }
  | { readonly latestAnd: number }
  | { readonly raw: unknown };

/** In place of a person's number: who owns the key that the call is about. */
export const ownerOfKey = -1;

type By = { readonly process: Process; readonly who: number };
type Changing = By & { readonly origin: 'UI' | 'API' | 'MCP'; readonly via: number | null; readonly lies: boolean };

/** What is presented: the value of a key (spoiled, perhaps), or something else. */
export type Credential = {
  readonly of: 'key' | 'typo' | 'forged' | 'stranger' | 'empty' | 'junk';
  readonly key: number;
};

export type Call =
  | (Changing & { readonly kind: 'create'; name: unknown; description: unknown; expiry: Expiry; owner: boolean })
  | (Changing & { readonly kind: 'update'; key: number; name: unknown; description: unknown } & {
      readonly expiry: Expiry | null;
      readonly version: number | null;
    })
  | (Changing & { readonly kind: 'revoke'; readonly key: number })
  | (Changing & { readonly kind: 'revoke-all'; readonly user: number })
  | (Changing & { readonly kind: 'delete-user'; readonly user: number; readonly removed: boolean })
  | (By & { readonly kind: 'get'; readonly key: number })
  | (By & { readonly kind: 'list'; readonly query: ListShape })
  | (By & { readonly kind: 'audits'; readonly query: AuditShape })
  | { readonly kind: 'usable'; readonly process: Process; readonly key: number }
  | {
      readonly kind: 'present';
      readonly process: Process;
      readonly first: Credential | null;
      readonly second: Credential | null;
      readonly scheme: string;
      readonly as: (typeof headerForms)[number];
      readonly twice: boolean;
      readonly basic: boolean;
      readonly agent: string | null;
      readonly address: string | null;
      readonly told: boolean;
    };

export interface ListShape {
  readonly scope?: 'my' | 'all';
  readonly createdBy?: number;
  readonly status?: 'Active' | 'Expired' | 'Revoked';
  readonly search?: string | { readonly key: number; readonly characters: number };
  readonly sort?: string;
  readonly limit?: number;
  readonly skip?: number;
  readonly total?: boolean;
}

export interface AuditShape {
  readonly scope?: 'my' | 'all';
  readonly key?: number;
  readonly revisionType?: 'Create' | 'Update' | 'Revoke';
  readonly origin?: 'UI' | 'API' | 'MCP' | 'System';
  readonly author?: number | string;
  readonly from?: Expiry;
  readonly to?: Expiry;
  readonly limit?: number;
  readonly skip?: number;
  readonly total?: boolean;
}

export type Move = { readonly byMs: number } | { readonly toExpiryOf: number; readonly offMs: number };

export type Operation =
  | Call
  | { readonly kind: 'together'; readonly calls: readonly Call[] }
  | ({ readonly kind: 'walk'; readonly process: Process; readonly who: number; readonly of: 'keys' | 'audits' } & {
      readonly query: ListShape;
      readonly limit: number;
      readonly between: readonly Call[];
    })
  | { readonly kind: 'clock'; readonly whose: Process | 'both'; readonly move: Move }
  | { readonly kind: 'edition'; readonly edition: string }
  | { readonly kind: 'trouble'; readonly trouble: 'none' | 'users' | 'edition' }
  | { readonly kind: 'person'; readonly who: number; readonly change: (typeof personChanges)[number] }
  | { readonly kind: 'reopen'; readonly process: Process }
  | { readonly kind: 'look' };

export interface Plan {
  readonly startIso: string;
  /** Look at everything only when the plan says so: a look writes what has expired (K5). */
  readonly quiet: boolean;
  readonly operations: readonly Operation[];
}

export const personChanges = [
  'disable',
  'enable',
  'grant',
  'revoke-rights',
  'grant-otherwise',
  'near-miss',
  'super-role',
  'super-flag',
  'rename',
  'remove',
  'restore',
] as const;
