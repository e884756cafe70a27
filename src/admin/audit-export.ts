import { type AuditEntry, type AuditQuery, auditedFields, maxPageLimit, type Page } from '../api-keys/index.js';
import { invalidField } from './http/errors.js';

export const exportFormats = ['csv', 'ndjson'] as const;

type ExportFormat = (typeof exportFormats)[number];

interface FileKind {
  readonly contentType: string;
  readonly head: string;
  line(entry: AuditEntry): string;
}

const columns = [
  'id',
  'changeTime',
  'revisionType',
  'origin',
  'apiKeyId',
  'name',
  'authorId',
  'authorUsername',
  'actingApiKeyId',
  'actingApiKeyName',
  ...auditedFields.flatMap((field) => [`${field}From`, `${field}To`]),
];

const kinds: Readonly<Record<ExportFormat, FileKind>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    // Spreadsheets take a file without this mark for one in an old character set.
    head: `\ufeff${columns.join(',')}\r\n`,
    line: (entry) => `${cellsOf(entry).map(formatCell).join(',')}\r\n`,
  },
  ndjson: { contentType: 'application/x-ndjson', head: '', line: (entry) => `${JSON.stringify(entry)}\n` },
};

/**
 * The audit trail as a file, newest first: what there is when the export begins. Two pages at most are in memory, and
 * one is read when the client has taken the one before it. A page that cannot be read breaks the connection, so that
 * nobody takes a part for the whole.
 *
 * @param readPage checks the caller's rights each time, since an export may take long
 * @throws ApiKeyError `validation` for another format; and what the first page throws
 */
export async function exportAudits(
  readPage: (query: AuditQuery) => Promise<Page<AuditEntry>>,
  { format, ...filter }: AuditQuery & { readonly format?: unknown },
  onError: (error: unknown) => void,
): Promise<Response> {
  const kind = kinds[readFormat(format)];
  const encoder = new TextEncoder();
  const limit = maxPageLimit;
  let page = await readPage({ ...filter, limit });
  let { head } = kind;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const text = head + page.items.map(kind.line).join('');
        head = '';
        if (text !== '') controller.enqueue(encoder.encode(text));
        if (page.nextCursor === null) return controller.close();
        try {
          page = await readPage({ ...filter, cursor: page.nextCursor, limit });
        } catch (error) {
          onError(error);
          throw error;
        }
      },
    },
    { highWaterMark: 0 },
  );
  const headers = {
    'content-type': kind.contentType,
    'content-disposition': `attachment; filename="api-key-audits.${format}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return new Response(body, { headers });
}

function readFormat(format: unknown): ExportFormat {
  const found = exportFormats.find((one) => one === format);
  if (found !== undefined) return found;
  throw invalidField('format', `\`format\` must be one of ${exportFormats.join(', ')}.`);
}

function cellsOf({ author, actingApiKey, changes, ...entry }: AuditEntry): readonly (string | number | null)[] {
  return [
    entry.id,
    entry.changeTime,
    entry.revisionType,
    entry.origin,
    entry.apiKeyId,
    entry.name,
    author.id,
    author.username,
    actingApiKey?.id ?? null,
    actingApiKey?.name ?? null,
    ...auditedFields.flatMap((audited) => {
      const change = changes.find(({ field }) => field === audited);
      return [change?.from ?? null, change?.to ?? null];
    }),
  ];
}

/** RFC 4180. Spreadsheets calculate what begins like a formula, so an apostrophe makes it text. */
function formatCell(value: string | number | null): string {
  const text = String(value ?? '');
  return `"${/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`;
}
