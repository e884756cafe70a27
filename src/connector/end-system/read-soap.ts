import { readEscape, xmlEscape } from '../../internal/index.js';

/** The content of a SOAP fault. Codes are without their prefix, which only the sender can resolve. */
export interface SoapFault {
  readonly code?: string | undefined;
  /** The innermost; SOAP 1.2 only. */
  readonly subcode?: string | undefined;
  readonly string?: string | undefined;
  /** The text of the detail, without its elements. */
  readonly detail?: string | undefined;
}

/** A tag up to its end, which is no `>` in quotes. Its parts do not overlap, so that it cannot backtrack. */
const tag = /<(\/?)([^\s/<>"'!][^\s/<>"']*)([\s/](?:[^>"']|"[^"]*"|'[^']*')*)?>/y;

/** Markup that is not a tag: its start and its end. */
const others = [
  ['<![CDATA[', ']]>'],
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;

/** Gets the parts of an XML document as they come, with names without their prefix, and text decoded. */
interface XmlReader {
  /** Whether there is nothing more to find. */
  readonly isOver?: boolean;
  /** @param attributes as they are written. An empty element is not closed. */
  open(name: string, attributes: string, isEmpty: boolean): void;
  text(text: string): void;
  close(): void;
}

/**
 * Reads XML in one pass and linear time (rule E8). Knows only XML's own entities, and neither document types nor namespaces.
 * Of a truncated document it reads what is there.
 */
export function readXml<Reader extends XmlReader>(xml: string, reader: Reader): Reader {
  for (let at = 0; at < xml.length && !reader.isOver; ) {
    const open = indexOrEnd(xml, '<', at);
    reader.text(decodeXml(xml.slice(at, open)));
    const other = others.find(([start]) => xml.startsWith(start, open));
    if (other) {
      const [start, stop] = other;
      const end = indexOrEnd(xml, stop, open + start.length);
      if (start === '<![CDATA[') reader.text(xml.slice(open + start.length, end));
      at = end + stop.length;
      continue;
    }
    tag.lastIndex = open;
    const match = tag.exec(xml);
    if (match === null) break; // the end, maybe in a tag; or a document type, which SOAP forbids
    at = tag.lastIndex;
    const [written, slash, name = '', attributes = ''] = match;
    if (slash === '/') reader.close();
    else reader.open(localName(name), attributes, written.endsWith('/>'));
  }
  return reader;
}

/** Finds the fault in a SOAP 1.1 or 1.2 response: the first element of its body. */
export function readSoapFault(xml: string): SoapFault | undefined {
  return readXml(xml, new FaultReader()).read();
}

/** Whether the body of a SOAP message, of which this is the beginning, has another first element than a fault. */
export function isSoapSuccess(xml: string): boolean {
  const reader = readXml(xml, new FaultReader());
  return reader.isOver && reader.read() === undefined;
}

function indexOrEnd(text: string, what: string, from: number): number {
  const index = text.indexOf(what, from);
  return index === -1 ? text.length : index;
}

class FaultReader implements XmlReader {
  readonly #path: string[] = [];
  readonly #found: Record<keyof SoapFault, string[][]> = { code: [], subcode: [], string: [], detail: [[]] };
  /** The depth of the envelope's content. Around it are the parts of a message with attachments. */
  #envelope: number | undefined;
  /** The depth of the fault's content. */
  #outside: number | undefined;
  isOver = false;

  open(name: string, _attributes: string, isEmpty: boolean): void {
    if (this.#outside === undefined) this.#enter(name, isEmpty);
    if (isEmpty) return;
    this.#path.push(name);
    const part = this.#part();
    if (part !== undefined && part !== 'detail') this.#found[part].push([]);
    if (name === 'Envelope') this.#envelope ??= this.#path.length;
  }

  /** Only the first element of the body can be the fault; elsewhere one of this name is data. */
  #enter(name: string, isEmpty: boolean): void {
    const envelope = this.#envelope ?? Number.POSITIVE_INFINITY;
    if (this.#path.length !== envelope + 1 || this.#path[envelope] !== 'Body') return;
    if (name === 'Fault' && !isEmpty) this.#outside = envelope + 2;
    else this.isOver = true;
  }

  text(text: string): void {
    const part = this.#part();
    if (part !== undefined) this.#found[part].at(-1)?.push(text);
  }

  close(): void {
    this.#path.pop();
    this.isOver = this.#path.length < (this.#outside ?? 0);
  }

  read(): SoapFault | undefined {
    const { code, subcode, string, detail } = this.#found;
    const read = (pieces: string[] | undefined) => pieces?.join(' ').replace(/\s+/g, ' ').trim() || undefined;
    const name = (pieces: string[] | undefined) => localName(read(pieces) ?? '') || undefined;
    // The reason may be in several languages; the innermost code is the most specific.
    const fault = {
      code: name(code[0]),
      subcode: name(subcode.at(-1)),
      string: read(string[0]),
      detail: read(detail[0]),
    };
    return fault.code === undefined && fault.string === undefined ? undefined : fault;
  }

  /** Which part of the fault the current element is, by the names of SOAP 1.1, then of 1.2. */
  #part(): keyof SoapFault | undefined {
    if (this.#outside === undefined) return undefined;
    const [first, second] = [this.#path[this.#outside], this.#path[this.#outside + 1]];
    const depth = this.#path.length - this.#outside;
    if (first === 'detail' || first === 'Detail') return 'detail';
    if (depth === 1 && first === 'faultcode') return 'code';
    if (depth === 1 && first === 'faultstring') return 'string';
    if (depth === 2 && first === 'Code' && second === 'Value') return 'code';
    if (depth === 2 && first === 'Reason') return 'string';
    return first === 'Code' && second === 'Subcode' && this.#path.at(-1) === 'Value' ? 'subcode' : undefined;
  }
}

/** A name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

/** Text without entities. */
export function decodeXml(text: string): string {
  return text.replace(xmlEscape, readEscape);
}
