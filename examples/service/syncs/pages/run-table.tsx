import { formatCount } from '../picture/format.js';
import { durationOf, startedHow, totalsOf } from '../picture/words.js';
import type { Run } from '../run.js';
import { StateMark, Time } from './parts.js';

interface RunTableProps {
  runs: readonly Run[];
  path: string;
  nowMs: number;
}

export function RunTable({ runs, path, nowMs }: RunTableProps) {
  return (
    <div class="table-frame">
      <table class="table cards runs">
        <caption class="visually-hidden">Runs, newest first. Times in UTC.</caption>
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col">Duration</th>
            <th scope="col" class="figure">
              Read
            </th>
            <th scope="col" class="figure">
              Written
            </th>
            <th scope="col" class="figure">
              Failed
            </th>
            <th scope="col" class="figure">
              Pauses
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow run={run} path={path} nowMs={nowMs} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunRow({ run, path, nowMs }: { run: Run; path: string; nowMs: number }) {
  const { pauses } = totalsOf(run);
  return (
    <tr data-row={run.id}>
      <td class="names">
        <a class="key-name" href={`${path}/runs/${run.id}`}>
          Run {run.id}
        </a>
        <span class="second-line">
          <Time ms={run.startedMs} />, {startedHow(run)}
          {run.resumes !== null && `, goes on from run ${run.resumes}`}
        </span>
      </td>
      <td data-label="State">
        <StateMark state={run.state} />
      </td>
      <td data-label="Duration" data-cell="duration" class="nowrap">
        {durationOf(run, nowMs)}
      </td>
      <td data-label="Read" data-cell="read" class="figure">
        {formatCount(run.read)}
      </td>
      <td data-label="Written" data-cell="written" class="figure">
        {formatCount(run.written)}
      </td>
      <td data-label="Failed" data-cell="failed" class={run.failed > 0 ? 'figure bad' : 'figure'}>
        {formatCount(run.failed)}
      </td>
      <td data-label="Pauses" data-cell="pauses" class="figure">
        {formatCount(pauses)}
      </td>
    </tr>
  );
}
