import type { Redis } from 'ioredis';
import { quiet } from '../../internal/index.js';
import { Line } from './line.js';
import type { Settings } from './options.js';
import { testRights, testWriting } from './scripts.js';

/** A state, as the link to Redis sees it. */
export interface Member {
  readonly channel: string;
  onMessage(text: string): void;
  /** Messages may have been missed, or data lost. */
  onUp(): void;
}

const links = new WeakMap<Redis, Map<string, Link>>();

/** The link of all states that were given the same connection, prefix and timeout; open while it has members. */
export function joinLink({ redis, prefix, timeoutMs }: Settings, member: Member): { link: Link; leave: () => void } {
  const known = links.get(redis) ?? new Map<string, Link>();
  links.set(redis, known);
  const key = JSON.stringify([prefix, timeoutMs]);
  const link = known.get(key) ?? new Link(redis, prefix, timeoutMs);
  known.set(key, link);
  link.add(member);
  const leave = () => {
    if (link.remove(member) === 0) known.delete(key);
  };
  return { link, leave };
}

/**
 * Two connections of the states' own: one for commands, one for messages, which can do nothing else. The caller's connection
 * only says how to connect: nobody else's commands suffer when one of these is replaced.
 */
export class Link {
  readonly #timeoutMs: number;
  readonly #commands: Line;
  readonly #messages: Line;
  readonly #members = new Set<Member>();
  readonly #listeners = new Set<(error: Error) => void>();
  #subscribed = new Set<string>();
  #outage: Error | undefined;
  /** How often a connection failed or was opened during outages. */
  #changes = 0;
  /** How far the clock of Redis is ahead of this process's monotonic one: too much, by a timeout at most, rather than too little. */
  #aheadMs = 0;
  /** The mark on the data of Redis. */
  #mark: string | undefined;

  constructor(redis: Redis, prefix: string, timeoutMs: number) {
    const open = async (commands: Redis) => {
      const askedAt = performance.now();
      const { now, mark } = await testWriting(commands, prefix);
      if (performance.now() - askedAt < timeoutMs) this.#aheadMs = now - askedAt;
      this.#mark = mark;
    };
    this.#timeoutMs = timeoutMs;
    this.#commands = new Line(redis, {
      timeoutMs,
      open: (commands) => testRights(commands, prefix).then(() => open(commands)),
      test: async (commands) => {
        const before = this.#mark;
        await open(commands);
        if (this.#mark !== before) this.#allUp();
      },
      onUp: () => {
        void this.#testBoth();
        this.#allUp();
      },
      onDown: (error) => this.#isDown('', error),
    });
    this.#messages = new Line(redis, {
      timeoutMs,
      open: (messages) => this.#listen(messages),
      test: (messages) => messages.ping(),
      onUp: () => {
        void this.#testBoth();
        for (const member of [...this.#members]) {
          if (this.#subscribed.has(member.channel)) member.onUp();
          else this.#subscribe(member); // it joined while the connection was opened
        }
      },
      onDown: (error) => this.#isDown(' (connection for messages)', error),
    });
  }

  /** Whether both connections work, as far as is known. */
  get up(): boolean {
    return this.#outage === undefined;
  }

  /** Called once per outage, and at once during one. */
  onOutage(listener: (error: Error) => void): () => void {
    this.#listeners.add(listener);
    if (this.#outage !== undefined) listener(this.#outage);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /**
   * Runs a command. After `deadline` (epoch milliseconds, by the clock of Redis) nobody waits for its answer any more.
   * @throws Error when Redis is away or too slow.
   */
  run<T>(command: (redis: Redis, deadline: number) => Promise<T>): Promise<T> {
    return this.#commands.run((redis) =>
      command(redis, Math.ceil(performance.now() + this.#timeoutMs + this.#aheadMs)),
    );
  }

  add(member: Member): void {
    this.#members.add(member);
    this.#subscribe(member);
  }

  /** @returns how many members are left; without any, the connections are closed. */
  remove(member: Member): number {
    this.#members.delete(member);
    const { channel } = member;
    if (this.#members.size === 0) {
      this.#commands.close();
      this.#messages.close();
    } else if (![...this.#members].some((other) => other.channel === channel)) {
      this.#messages.run((redis) => redis.unsubscribe(channel)).catch(() => {});
    }
    return this.#members.size;
  }

  async #listen(messages: Redis): Promise<void> {
    messages.on('message', (channel, text: string) => {
      for (const member of [...this.#members]) if (member.channel === channel) member.onMessage(text);
    });
    this.#subscribed = new Set([...this.#members].map(({ channel }) => channel));
    await messages.subscribe(...this.#subscribed);
  }

  #allUp(): void {
    for (const member of [...this.#members]) member.onUp();
  }

  /** What was said before is read afterwards: in the other order, what is said in between would be lost. */
  #subscribe(member: Member): void {
    this.#messages.run((redis) => redis.subscribe(member.channel)).then(member.onUp, () => {});
  }

  #isDown(which: string, cause: Error): void {
    if (this.#outage === undefined) {
      const remedy = isDenial(cause)
        ? 'Give its user the rights in docs/past-one-machine.md: until then'
        : 'Until it is back';
      const until = `${remedy}, this process uses a session and pauses of its own.`;
      // ioredis adds the command and its arguments: a password, or a session (rule S7).
      const { message, name, code } = cause as NodeJS.ErrnoException;
      const shown = Object.assign(new Error(message), { name, ...(code !== undefined && { code }) });
      this.#outage = new Error(`Redis: ${message}${which}. ${until}`, { cause: shown });
      for (const listener of [...this.#listeners]) quiet(listener)(this.#outage);
    }
    void this.#testBoth();
  }

  /**
   * An outage ends when both connections answer a test that began after the last change of either. So it is told once, though
   * connections that die together are found dead one after the other.
   */
  async #testBoth(): Promise<void> {
    if (this.#outage === undefined) return;
    const changes = ++this.#changes;
    const answers = await Promise.allSettled([this.#commands.test(), this.#messages.test()]);
    const answered = answers.every(({ status }) => status === 'fulfilled');
    if (answered && changes === this.#changes) this.#outage = undefined;
  }
}

function isDenial({ message }: Error): boolean {
  return message.startsWith('NOPERM') || message.includes('user executing the script');
}
