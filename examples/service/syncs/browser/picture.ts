import { formatCount, formatDuration } from '../picture/format.js';
import { frameOf, recentMs, type Span } from '../picture/frame.js';
import { drawLane } from '../picture/lane.js';
import type { PictureData } from '../picture/model.js';
import { timelineOf } from '../picture/timeline.js';
import { announce, describeRun, laneFacts, laneState, pauseReason, tilesOf, totalsOf } from '../picture/words.js';
import { setText } from './elements.js';

/** Nobody can follow words that come faster. */
const announceMs = 15_000;
const smallestWidth = 260;

/** The server's clock, less this one. */
let aheadMs = 0;
let announced = '';
let announcedMs = Number.NEGATIVE_INFINITY;

/** Keeps the page up to date with what the stream tells, and the clock running in between. */
export class Picture {
  readonly #root: HTMLElement;
  readonly #timer: number;
  readonly #size: ResizeObserver;
  #data: PictureData | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    // With less motion asked for, the picture moves on once a second and no faster.
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#timer = window.setInterval(() => this.#passTime(), isCalm ? 1000 : 250);
    this.#size = new ResizeObserver(() => this.#draw());
    this.#size.observe(root);
    root.querySelector('details')?.addEventListener('toggle', () => this.#writeTimeline());
  }

  /** Sets the clock by the server's, for waits are counted down to a time of the server's. */
  setClock(serverNowMs: number): void {
    aheadMs = serverNowMs - Date.now();
  }

  /** Whether the page is made for this run, as it stands now; if not, it has to be made anew. */
  fits({ run }: PictureData): boolean {
    return Number(this.#root.dataset.run) === run.id && this.#root.dataset.state === run.state;
  }

  show(data: PictureData): void {
    if (Number(this.#root.dataset.run) !== data.run.id) return;
    this.#data = data;
    this.#writeFacts();
    this.#draw();
    this.#writeTimeline();
    this.#announce();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#size.disconnect();
  }

  get #nowMs(): number {
    return Date.now() + aheadMs;
  }

  #passTime(): void {
    for (const element of document.querySelectorAll<HTMLElement>('[data-until]')) {
      setText(element, formatDuration(Number(element.dataset.until) - this.#nowMs));
    }
    if (this.#data?.run.state !== 'running') return;
    this.#writeFacts();
    this.#draw();
  }

  #writeFacts(): void {
    if (this.#data === undefined) return;
    const data = this.#data;
    const { run } = data;
    const find = (selector: string) => this.#root.querySelector<HTMLElement>(selector);
    setText(find('[data-sentence]'), describeRun(run));
    const progress = find('[data-progress]') as HTMLProgressElement | null;
    if (progress !== null) {
      progress.max = Math.max(1, run.total);
      if (run.total > 0) progress.value = run.done;
      else progress.removeAttribute('value');
    }
    for (const { name, value, isBad } of tilesOf(run, this.#nowMs)) {
      const tile = find(`[data-tile="${name}"]`);
      setText(tile, value);
      tile?.classList.toggle('bad', isBad === true);
      setText(document.querySelector(`[data-row="${run.id}"] [data-cell="${name}"]`), value);
    }
    const pauses = formatCount(totalsOf(run).pauses);
    setText(document.querySelector(`[data-row="${run.id}"] [data-cell="pauses"]`), pauses);
    const spans = find('[data-spans]');
    if (spans !== null) spans.hidden = run.state !== 'running' || this.#nowMs - run.startedMs <= recentMs;
    for (const connection of run.connections) {
      const lane = find(`[data-lane="${connection.name}"]`);
      const state = lane?.querySelector('[data-lane-state]') ?? null;
      const { kind, text } = laneState(data, connection, this.#nowMs);
      setText(state, text);
      if (state !== null) state.className = `lane-state lane-${kind}`;
      setText(lane?.querySelector('[data-lane-reason]') ?? null, pauseReason(data, connection.name));
      const facts = laneFacts(connection);
      const items = lane?.querySelectorAll('[data-lane-facts] li') ?? [];
      for (const [index, item] of [...items].entries()) setText(item, facts[index] ?? '');
    }
  }

  #draw(): void {
    if (this.#data === undefined) return;
    const frame = frameOf(this.#data, this.#root.dataset.span as Span, this.#nowMs);
    for (const drawing of this.#root.querySelectorAll<HTMLElement>('[data-lane-drawing]')) {
      const name = drawing.closest<HTMLElement>('[data-lane]')?.dataset.lane ?? '';
      const width = Math.max(smallestWidth, Math.floor(drawing.clientWidth));
      // Made of numbers, and of names that are escaped.
      drawing.innerHTML = drawLane(this.#data, name, frame, width);
    }
  }

  #writeTimeline(): void {
    const body = this.#root.querySelector('[data-timeline]');
    if (this.#data === undefined || body === null || this.#root.querySelector('details[open]') === null) return;
    const rows = timelineOf(this.#data, this.#nowMs).map(({ time, elapsed, connection, text }) => {
      const row = document.createElement('tr');
      for (const value of [time, elapsed, connection, text]) row.insertCell().textContent = value;
      return row;
    });
    body.replaceChildren(...rows);
  }

  /** Now and then, and when the state of the run or of a pause is another one. */
  #announce(): void {
    if (this.#data === undefined) return;
    const { run } = this.#data;
    const paused = run.connections.filter(({ name }) => pauseReason(this.#data as PictureData, name) !== '');
    const kind = [run.id, run.state, run.phase, ...paused.map(({ name }) => name)].join();
    const isUrgent = run.state !== 'running';
    if (kind === announced || (!isUrgent && performance.now() - announcedMs < announceMs)) return;
    // The page has said it all when it was opened, unless the run has ended since.
    if (announced !== '' || !this.fits(this.#data)) {
      setText(document.querySelector('[data-announcement]'), announce(this.#data, this.#nowMs));
    }
    announced = kind;
    announcedMs = performance.now();
  }
}
