import { styleText } from 'node:util';
import { MultiBar, type SingleBar } from 'cli-progress';
import type { SyncProgress } from './engine/progress.js';

type Stream = NodeJS.WriteStream & { fd: number };

/** Where a run shows what it does. */
export interface Screen extends SyncProgress {
  /** Writes a line that stays. */
  line(text: string): void;
  /** Says that a connection waits for its limit. */
  pause(connection: string, waitMs: number, resumeAt: Date): void;
  resume(connection: string): void;
  login(connection: string): void;
  /** Takes the bar away. */
  clear(): void;
}

/** A bar on a terminal, plain lines everywhere else. */
export function createScreen(stream: Stream): Screen {
  return stream.isTTY ? new BarScreen(stream) : new LineScreen((line) => stream.write(`${line}\n`));
}

function duration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

class LineScreen implements Screen {
  readonly line: (text: string) => void;
  #phase = '';
  #total = 0;
  #done = 0;

  constructor(write: (line: string) => void) {
    this.line = write;
  }

  phase(name: string, total = 0): void {
    this.#phase = name;
    this.#total = total;
    this.#done = 0;
    this.line(total > 0 ? `${name} ${total} issues` : name);
  }

  advance(count: number): void {
    const before = this.#done;
    this.#done += count;
    const tenth = this.#total / 10;
    if (this.#total === 0 || Math.floor(before / tenth) === Math.floor(this.#done / tenth)) return;
    this.line(`${this.#phase}: ${this.#done} of ${this.#total}`);
  }

  pause(connection: string, waitMs: number): void {
    this.line(`Paused for ${duration(waitMs)}: the ${connection} has reached its rate limit`);
  }

  resume(connection: string): void {
    this.line(`Resumed: the ${connection}`);
  }

  login(connection: string): void {
    this.line(`Logged in again: the session of the ${connection} had expired`);
  }

  clear(): void {}
}

class BarScreen implements Screen {
  readonly #stream: Stream;
  readonly #pauses = new Map<string, Date>();
  #bars: MultiBar | undefined;
  #bar: SingleBar | undefined;
  #ticker: NodeJS.Timeout | undefined;
  #phase = '';

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  line(text: string): void {
    if (this.#bars === undefined) this.#stream.write(`${text}\n`);
    else this.#bars.log(`${text}\n`);
  }

  phase(name: string, total = 0): void {
    this.#phase = name;
    if (this.#bar === undefined) this.#show();
    this.#bar?.setTotal(total);
    this.#bar?.update(0);
    this.#refresh();
  }

  advance(count: number): void {
    this.#bar?.increment(count);
  }

  pause(connection: string, waitMs: number, resumeAt: Date): void {
    this.#pauses.set(connection, resumeAt);
    this.line(styleText('yellow', `⏸ The ${connection} has reached its rate limit: ${duration(waitMs)}`));
    this.#refresh();
  }

  resume(connection: string): void {
    this.#pauses.delete(connection);
    this.#refresh();
  }

  login(connection: string): void {
    this.line(styleText('cyan', `↻ The session of the ${connection} had expired: logged in again`));
  }

  clear(): void {
    clearInterval(this.#ticker);
    this.#bars?.stop();
    this.#bars = undefined;
    this.#bar = undefined;
  }

  #show(): void {
    this.#bars = new MultiBar({
      stream: this.#stream,
      hideCursor: true,
      clearOnComplete: true,
      gracefulExit: false,
      format: (_options, { value, total }, { note }: { note: string }) => this.#draw(value, total, note),
    });
    this.#bar = this.#bars.create(0, 0, { note: '' });
    this.#ticker = setInterval(() => this.#refresh(), 250);
  }

  #refresh(): void {
    const waits = [...this.#pauses].map(
      ([connection, resumeAt]) => `${connection} paused, ${duration(resumeAt.getTime() - Date.now())} left`,
    );
    this.#bar?.update({ note: waits.join(' · ') });
  }

  #draw(value: number, total: number, note: string): string {
    const end = note === '' ? '' : `  ${styleText('yellow', note)}`;
    if (total === 0) return `${this.#phase}: ${value} issues${end}`;
    const width = 28;
    const filled = Math.min(width, Math.floor((value / total) * width));
    return `${this.#phase} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${value}/${total} issues${end}`;
  }
}
