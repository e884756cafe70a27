import type { AdminSectionContext } from 'concordat/admin';
import type { SyncControl } from '../control.js';
import { Line } from './parts.js';

interface ControlsProps {
  context: AdminSectionContext;
  control: SyncControl;
  mayControl: boolean;
  /** The last run ended early. */
  goesOn: boolean;
}

/** Starting, or stopping; whichever is possible. */
export function Controls({ context, control, mayControl, goesOn }: ControlsProps) {
  if (!mayControl) return null;
  const { isRunning } = control;
  return (
    <form method="post" action={`${context.path}/${isRunning ? 'stop' : 'start'}`}>
      {context.formToken}
      <button class={isRunning ? 'button button-danger-quiet' : 'button button-primary'} type="submit">
        <Line d={isRunning ? 'M4 4h8v8H4z' : 'M5 3.500v9l7-4.500z'} />
        {isRunning ? 'Stop the run' : goesOn ? 'Resume now' : 'Start a run'}
      </button>
    </form>
  );
}
