import type { ConnectionReport, WorkerReport } from '../../fleet/reports.js';
import { formatCount, formatDuration } from '../picture/format.js';
import { Time } from './parts.js';

interface WorkersProps {
  workers: readonly WorkerReport[];
  nowMs: number;
}

/** The processes that do the work, where it is not this one. */
export function Workers({ workers, nowMs }: WorkersProps) {
  return (
    <section class="card" aria-labelledby="workers">
      <div class="card-header">
        <h2 id="workers">Workers</h2>
        <span class="muted small">{workers.length === 0 ? 'None is running' : `${workers.length} running`}</span>
      </div>
      {workers.length === 0 ? (
        <p class="none muted">Runs wait until a worker is started: npm run worker</p>
      ) : (
        <div class="table-frame">
          <table class="table cards">
            <caption class="visually-hidden">Workers, oldest first. Counts since each was started.</caption>
            <thead>
              <tr>
                {['Worker', 'Source', 'Target'].map((name) => (
                  <th scope="col">{name}</th>
                ))}
                {['Requests', 'Refused', 'Logins'].map((name) => (
                  <th scope="col" class="figure">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {workers.map((worker) => (
                <WorkerRow worker={worker} nowMs={nowMs} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function WorkerRow({ worker, nowMs }: { worker: WorkerReport; nowMs: number }) {
  const { host, pid, jobs, startedMs } = worker;
  const { source, target } = worker.connections;
  const figures = { Requests: 'sent', Refused: 'refused', Logins: 'logins' } as const;
  return (
    <tr data-row={worker.id}>
      <td class="names">
        <span class="key-name">
          {host}, process {pid}
        </span>
        <span class="second-line">
          {jobs > 0 ? 'Working' : 'Idle'}, since <Time ms={startedMs} />
        </span>
      </td>
      <td data-label="Source">{stateOf(source, nowMs)}</td>
      <td data-label="Target">{stateOf(target, nowMs)}</td>
      {Object.entries(figures).map(([label, name]) => (
        <td data-label={label} class="figure">
          {formatCount(source.counters[name] + target.counters[name])}
        </td>
      ))}
    </tr>
  );
}

function stateOf({ session, resumeAtMs }: ConnectionReport, nowMs: number): string {
  if (resumeAtMs !== null && resumeAtMs > nowMs) return `Paused · ${formatDuration(resumeAtMs - nowMs)} left`;
  if (session === 'renewing') return 'Logging in';
  return session === 'active' ? 'Open' : 'Not logged in';
}
