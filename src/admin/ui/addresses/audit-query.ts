import { type RevisionType, revisionTypes } from '../../../api-keys/index.js';
import { readSearch } from './list-query.js';
import { type Place, readPlace, writePlace } from './paging.js';

/** What the audit page shows, as read from its address. */
export interface AuditView extends Place {
  /** A key's id, or `undefined` for all keys. */
  readonly apiKeyId: string | undefined;
  /** The search for a key: part of its name, or its id. */
  readonly find: string;
  readonly revisionType: RevisionType | undefined;
}

export function readAuditView(query: URLSearchParams): AuditView {
  return {
    apiKeyId: query.get('apiKeyId') || undefined,
    find: readSearch(query.get('find')),
    revisionType: revisionTypes.find((type) => type === query.get('revisionType')),
    ...readPlace(query),
  };
}

export function formatAuditView(view: Partial<AuditView>): string {
  const query = new URLSearchParams();
  if (view.apiKeyId !== undefined) query.set('apiKeyId', view.apiKeyId);
  if (view.find !== undefined && view.find !== '') query.set('find', view.find);
  if (view.revisionType !== undefined) query.set('revisionType', view.revisionType);
  writePlace(query, view);
  return String(query);
}
