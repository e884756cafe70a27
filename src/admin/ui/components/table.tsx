import type { Child, PropsWithChildren } from 'hono/jsx';
import { useShown } from '../look.js';

interface TableProps {
  /** For screen readers, where no heading says what the table shows. */
  caption?: string;
  /** Texts, or whole cells of the head. */
  columns: readonly (string | Child)[];
  kind?: 'audits';
}

/** Its rows become cards on a phone. */
export function Table({ caption, columns, kind, children }: PropsWithChildren<TableProps>) {
  return (
    <div class="table-frame">
      <table class={kind === undefined ? 'table cards' : `table cards ${kind}`}>
        {caption !== undefined && <caption class="visually-hidden">{caption}</caption>}
        <thead>
          <tr>{columns.map((column) => (typeof column === 'string' ? <th scope="col">{column}</th> : column))}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function ActionHead() {
  return (
    <th scope="col" class="action">
      {useShown().texts.action}
    </th>
  );
}

/** Where there is nothing to do. */
export function NoAction() {
  return <td class="action action-none muted">–</td>;
}
