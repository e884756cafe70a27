/** What the connector needs of HTTP: a server, bodies of requests, JSON responses. */
import { createServer } from 'node:http';

export class HttpServer {
  maxBodyBytes = 1024 * 1024;

  listen(whenReady) {
    const server = createServer((request, response) => this.handle({ request, response }));
    server.listen(0, '127.0.0.1', () => whenReady(server.address().port));
    return server;
  }

  /** Reads all of the body, and keeps as much of it as is allowed. */
  async readBody({ request }) {
    const chunks = [];
    let bytes = 0;
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes <= this.maxBodyBytes) chunks.push(chunk);
    }
    if (bytes > this.maxBodyBytes) throw this.tooLarge();
    return Buffer.concat(chunks).toString();
  }

  send({ response }, status, value, headers = {}) {
    if (value === undefined) return void response.writeHead(status, headers).end();
    this.sendText({ response }, status, this.encode(value), {
      'content-type': 'application/json; charset=utf-8',
      ...headers,
    });
  }

  encode(value) {
    return JSON.stringify(value);
  }

  sendText({ response }, status, text, headers = {}) {
    response.writeHead(status, { 'content-length': Buffer.byteLength(text), ...headers }).end(text);
  }
}
