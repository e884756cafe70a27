import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

export interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | undefined;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** Whether the connection broke before the body was whole. */
  cut: boolean;
}

/** One request over a connection of its own, and the answer as it came: no fetch in between that could tidy it up. */
export function send(url: string, { method = 'GET', path = '/', headers = {}, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      let cut = false;
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => {
        cut = true;
      });
      response.on('close', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
          cut: cut || !response.complete,
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Sends these very bytes and reads until the other side ends the connection. */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

/** The contract body of an answer. */
export function errorsOf(answer: Answer): { code: string; message: string; detail?: string } {
  return JSON.parse(answer.body).errors;
}
