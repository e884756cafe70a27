import { raw } from 'hono/html';
import { frameOf, recentMs, type Span } from '../picture/frame.js';
import { drawLane } from '../picture/lane.js';
import { endOf, type PictureData } from '../picture/model.js';
import { timelineOf } from '../picture/timeline.js';
import { announce, describeRun, laneFacts, laneState, pauseReason, tilesOf } from '../picture/words.js';
import type { RunConnection } from '../run.js';

/** What the picture is drawn for before a script knows how much room there is. */
const drawnWidth = 920;

interface PictureProps {
  data: PictureData;
  span: Span;
  nowMs: number;
  /** The stream that keeps it up to date: while the run goes on, or for the page that shows the latest one. */
  stream: string;
  /** This page with the other span. */
  spanLink: (span: Span) => string;
}

/** What a screen reader says of changes. It stands beside the parts that a newer page replaces, or its words would be lost. */
export function Announcement() {
  return <p class="visually-hidden" role="status" data-announcement></p>;
}

/** A run: figures, a lane for each connection, and the same in words. The script keeps all of it up to date. */
export function RunPicture({ data, span, nowMs, stream, spanLink }: PictureProps) {
  const { run } = data;
  const frame = frameOf(data, span, nowMs);
  const isRunning = run.state === 'running';
  const isLong = isRunning && endOf(run, nowMs) - run.startedMs > recentMs;
  return (
    <div class="picture" data-picture={stream} data-run={run.id} data-state={run.state} data-span={span}>
      <div class="progress">
        <p class="progress-text" data-sentence>
          {describeRun(run)}
        </p>
        {isRunning && (
          <progress
            aria-label="Issues of this phase"
            data-progress
            max={Math.max(1, run.total)}
            {...(run.total > 0 && { value: run.done })}
          ></progress>
        )}
      </div>
      <dl class="tiles">
        {tilesOf(run, nowMs).map(({ name, label, value, isBad }) => (
          <div>
            <dt>{label}</dt>
            <dd data-tile={name} class={isBad ? 'bad' : ''}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
      <div class="lanes-head">
        <h3>Requests per second</h3>
        <div class="span-choice" data-spans hidden={!isLong}>
          <nav class="segments" aria-label="Time shown">
            <a href={spanLink('recent')} {...(span === 'recent' && { 'aria-current': 'true' as const })}>
              Last 2 minutes
            </a>
            <a href={spanLink('whole')} {...(span === 'whole' && { 'aria-current': 'true' as const })}>
              Whole run
            </a>
          </nav>
        </div>
      </div>
      {run.connections.map((connection) => (
        <Lane data={data} connection={connection} nowMs={nowMs}>
          {raw(drawLane(data, connection.name, frame, drawnWidth))}
        </Lane>
      ))}
      <Legend />
      <details class="in-words">
        <summary>In words</summary>
        <p class="visually-hidden">{announce(data, nowMs)}</p>
        <Timeline data={data} nowMs={nowMs} />
      </details>
      <p class="connection-lost" role="alert" data-lost hidden></p>
    </div>
  );
}

interface LaneProps {
  data: PictureData;
  connection: RunConnection;
  nowMs: number;
  children: unknown;
}

function Lane({ data, connection, nowMs, children }: LaneProps) {
  const { name, repository } = connection;
  const state = laneState(data, connection, nowMs);
  return (
    <section class="lane" data-lane={name} aria-label={name}>
      <div class="lane-head">
        <h4>{name}</h4>
        <span class="mono muted lane-repository">{repository}</span>
        <p class="lane-reason" data-lane-reason>
          {pauseReason(data, name)}
        </p>
        <span class={`lane-state lane-${state.kind}`} data-lane-state>
          {state.text}
        </span>
      </div>
      <div class="lane-drawing" data-lane-drawing>
        {children}
      </div>
      <ul class="lane-facts" data-lane-facts>
        {laneFacts(connection).map((fact) => (
          <li>{fact}</li>
        ))}
      </ul>
    </section>
  );
}

/** The same shapes as in the lanes. */
function Legend() {
  const entries = [
    [
      'Requests',
      '<rect class="bar" x="3" y="2" width="4" height="10"/><rect class="bar" x="9" y="5" width="4" height="7"/>',
    ],
    ['Refused by the limit', '<rect class="bar-refused" x="5" y="2" width="6" height="10"/>'],
    [
      'Paused',
      '<rect class="pause" x="0" y="1" width="16" height="12"/><path class="hatch" d="M3 13l8-12M8 13l8-12M0 9l5-8"/>',
    ],
    ['Pause still ahead', '<rect class="pause-ahead" x="1" y="1" width="14" height="12"/>'],
    ['Login', '<path class="login" d="M8 2l5 5l-5 5l-5-5z"/>'],
    ['Quota learned', '<path class="quota" d="M0 7H16"/>'],
  ] as const;
  return (
    <ul class="legend" aria-label="Legend">
      {entries.map(([text, drawing]) => (
        <li>
          {raw(`<svg width="16" height="14" viewBox="0 0 16 14" aria-hidden="true" focusable="false">${drawing}</svg>`)}
          {text}
        </li>
      ))}
    </ul>
  );
}

function Timeline({ data, nowMs }: { data: PictureData; nowMs: number }) {
  const rows = timelineOf(data, nowMs);
  return (
    <section class="timeline-frame" tabindex={0} aria-label="What happened">
      <table class="table timeline">
        <caption class="visually-hidden">What happened, newest first. Times in UTC.</caption>
        <thead>
          <tr>
            <th scope="col">Time (UTC)</th>
            <th scope="col">Into the run</th>
            <th scope="col">Connection</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody data-timeline>
          {rows.map(({ time, elapsed, connection, text }) => (
            <tr>
              <td>{time}</td>
              <td>{elapsed}</td>
              <td>{connection}</td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
