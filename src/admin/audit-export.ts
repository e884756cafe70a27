import { type AuditEntry, type AuditQuery, auditedFields, maxPageLimit, type Page } from '../api-keys/index.js';
import { invalidField } from './http/errors.js';

export const exportFormats = ['csv', 'ndjson'] as const;

interface FileKind {
  readonly contentType: string;
  readonly head: string;
  line(entry: AuditEntry): string;
}

type Column = readonly [name: string, read: (entry: AuditEntry) => string | number | null | undefined];

const columns: readonly Column[] = [
  ['id', (entry) => entry.id],
  ['changeTime', (entry) => entry.changeTime],
  ['revisionType', (entry) => entry.revisionType],
  ['origin', (entry) => entry.origin],
  ['apiKeyId', (entry) => entry.apiKeyId],
  ['name', (entry) => entry.name],
  ['authorId', (entry) => entry.author.id],
  ['authorUsername', (entry) => entry.author.username],
  ['actingApiKeyId', (entry) => entry.actingApiKey?.id],
  ['actingApiKeyName', (entry) => entry.actingApiKey?.name],
  ...auditedFields.flatMap((audited): Column[] => {
    const changeIn = ({ changes }: AuditEntry) => changes.find(({ field }) => field === audited);
    return [
      [`${audited}From`, (entry) => changeIn(entry)?.from],
      [`${audited}To`, (entry) => changeIn(entry)?.to],
    ];
  }),
];

const kinds: Readonly<Record<(typeof exportFormats)[number], FileKind>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    // Spreadsheets take a file without this mark for one in an old character set.
    head: `\ufeff${columns.map(([name]) => name).join(',')}\r\n`,
    line: (entry) => `${columns.map(([, read]) => formatCell(read(entry))).join(',')}\r\n`,
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
  const known = exportFormats.find((one) => one === format);
  if (known === undefined) throw invalidField('format', `\`format\` must be one of ${exportFormats.join(', ')}.`);
  const kind = kinds[known];
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

/** What a spreadsheet calculates; many separate cells by semicolons, wherever those stand. */
const formulas = /(^|;\s*)(?=[=+\-@\t\r\n＝＋－＠])/g;

/** RFC 4180, with formulas made text by an apostrophe. */
function formatCell(value: string | number | null | undefined): string {
  return `"${String(value ?? '')
    .replace(formulas, "$1'")
    .replaceAll('"', '""')}"`;
}
