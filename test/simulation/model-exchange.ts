import type { WrittenWait } from './model-waits.js';
import type { Entry, Sender } from './trace.js';

/** A request as the connector sees it; the body comes later. */
export interface Arrival {
  method: string;
  path: string;
  session: string | undefined;
}

/** A request on its way, from the first byte sent to the end of the answer. */
export interface ModelExchange {
  readonly id: number;
  /** Which client sent it. */
  readonly client: number;
  readonly by: Sender;
  readonly session: number | undefined;
  readonly arrival: Arrival;
}

/** How an exchange ends. `hang` never does by itself. */
export type Reply =
  | { type: 'hang' }
  | { type: 'reset'; afterMs: number }
  | {
      type: 'answer';
      afterMs: number;
      status: number;
      headers: Record<string, string | string[]>;
      body: string;
      /** Whether the connection breaks in the middle of the body. */
      cut?: boolean;
      wait?: WrittenWait;
      /** The session that this answer hands out. */
      session?: number;
    };

type Recorded = Entry extends infer One ? (One extends Entry ? Omit<One, 'at'> : never) : never;
export type Write = (entry: Recorded) => void;
