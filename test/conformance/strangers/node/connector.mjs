/** A complete, correct connector on `node:http` alone. Each stranger changes one thing about it. */
import { randomUUID } from 'node:crypto';
import { HttpServer } from './http-server.mjs';

/** What a handler throws to refuse a request. */
export class Failure extends Error {
  constructor(status, code, message, { detail, headers = {} } = {}) {
    super(message);
    Object.assign(this, { status, code, detail, headers });
  }
}

export class Connector extends HttpServer {
  accounts = { ada: 'correct horse' };
  records = new Map([['1', { id: 1, title: 'The lamp in the hall flickers' }]]);
  /** By token. A session that has ended stays, so that it can be told from one that never was. */
  sessions = new Map();
  /** Of /search: so many requests in a window that opens with the first one. */
  quota = { limit: 5, windowMs: 1500, used: 0, endsAt: 0 };

  async handle(exchange) {
    exchange.method = exchange.request.method;
    exchange.path = new URL(exchange.request.url, 'http://connector').pathname;
    try {
      await this.route(exchange);
    } catch (error) {
      this.sendFailure(exchange, error instanceof Failure ? error : this.unforeseen(error));
    }
  }

  async route(exchange) {
    if (exchange.method === 'OPTIONS') return this.options(exchange);
    if (exchange.path !== '/initialize') exchange.session = await this.authenticate(exchange);
    const handlers = this.routes(exchange);
    if (handlers === undefined) throw this.unknownRoute(exchange);
    const handler = handlers[exchange.method === 'HEAD' ? 'GET' : exchange.method];
    if (handler === undefined) throw this.wrongMethod(exchange, handlers);
    await handler(exchange);
  }

  /** The handlers of the path, by method. */
  routes({ path }) {
    const [, id] = /^\/records\/([^/]+)$/.exec(path) ?? [];
    if (id !== undefined) return { GET: (exchange) => this.readRecord(exchange, id) };
    return {
      '/initialize': { POST: (exchange) => this.initialize(exchange) },
      '/records': { GET: (exchange) => this.list(exchange), POST: (exchange) => this.createRecord(exchange) },
      '/search': { GET: (exchange) => this.search(exchange) },
      '/admin': { GET: (exchange) => this.admin(exchange) },
      '/report': { GET: (exchange) => this.report(exchange) },
      '/logout': { POST: (exchange) => this.logout(exchange) },
      '/cleanup': { POST: (exchange) => this.cleanup(exchange) },
    }[path];
  }

  // Sessions

  async initialize(exchange) {
    const parameters = this.readParameters(await this.readJson(exchange));
    if (typeof parameters.user !== 'string' || typeof parameters.password !== 'string') {
      throw new Failure(400, 'BAD_PARAMETERS', '`user` and `password` are needed.');
    }
    if (this.accounts[parameters.user] !== parameters.password) throw this.loginRefused(parameters);
    this.send(exchange, 200, this.sessionBody(this.openSession(parameters.user)));
  }

  /** Takes `[{ key, value }]` and an object. */
  readParameters(json) {
    if (!Array.isArray(json)) return json ?? {};
    return Object.fromEntries(json.map((entry) => [entry?.key, entry?.value]));
  }

  loginRefused() {
    return new Failure(401, 'BAD_LOGIN', 'Wrong user or password.');
  }

  openSession(user) {
    const token = randomUUID();
    this.sessions.set(token, { user, ended: false });
    process.stdout.write(`${token}\n`); // for whoever looks whether a report shows it
    return token;
  }

  sessionBody(token) {
    return [{ key: 'x-session', value: token, sensitive: true }];
  }

  presentedToken({ request }) {
    return request.headers['x-session'];
  }

  async authenticate(exchange) {
    const token = this.presentedToken(exchange);
    const session = this.sessions.get(token);
    if (token === undefined) throw this.noSession(exchange);
    if (session === undefined) throw this.unknownSession(token);
    if (session.ended) throw this.endedSession(token);
    return { token, ...session };
  }

  noSession() {
    return new Failure(401, 'NO_SESSION', 'Log in first.');
  }

  unknownSession() {
    return new Failure(401, 'BAD_SESSION', 'The session is not known.');
  }

  endedSession() {
    return new Failure(401, 'SESSION_EXPIRED', 'The session has expired.');
  }

  logout(exchange) {
    this.sessions.get(exchange.session.token).ended = true;
    this.send(exchange, 204);
  }

  cleanup(exchange) {
    this.sessions.delete(exchange.session.token);
    this.send(exchange, 204);
  }

  // Records

  list(exchange) {
    this.send(exchange, 200, [...this.records.values()]);
  }

  async readRecord(exchange, id) {
    const record = this.records.get(id);
    if (record === undefined) throw this.noRecord(id);
    this.send(exchange, 200, record);
  }

  noRecord(id) {
    return new Failure(404, 'NO_RECORD', `There is no record ${id}.`);
  }

  async createRecord(exchange) {
    const { title } = (await this.readJson(exchange)) ?? {};
    if (typeof title !== 'string' || title === '') throw this.invalidRecord();
    const record = { id: this.records.size + 1, title };
    this.records.set(String(record.id), record);
    this.send(exchange, 201, record);
  }

  invalidRecord() {
    return new Failure(400, 'BAD_RECORD', 'The record is not valid.', { detail: 'title: must not be empty' });
  }

  admin() {
    throw new Failure(403, 'NOT_ALLOWED', 'Only administrators may read this.');
  }

  /** The end system behind it is down. */
  report() {
    throw new Failure(502, 'END_SYSTEM_DOWN', 'The end system cannot be reached.');
  }

  // The limit

  async search(exchange) {
    this.count();
    await new Promise((resolve) => setTimeout(resolve, 5));
    this.send(exchange, 200, [...this.records.values()]);
  }

  /** Counts a request, and refuses it if the quota is used up. */
  count(now = Date.now()) {
    if (now >= this.quota.endsAt) Object.assign(this.quota, { used: 0, endsAt: now + this.quota.windowMs });
    this.quota.used += 1;
    if (this.quota.used > this.quota.limit) throw this.limited(this.quota.endsAt - now);
  }

  limited(waitMs) {
    return new Failure(403, 'QUOTA_USED_UP', 'Too many searches.', { headers: this.waitHeaders(waitMs) });
  }

  waitHeaders(waitMs) {
    return { 'Retry-After': String(Math.ceil(waitMs / 1000)) };
  }

  // Refused requests

  async readJson(exchange) {
    const text = await this.readBody(exchange);
    try {
      return JSON.parse(text);
    } catch {
      throw this.brokenJson(text, exchange);
    }
  }

  brokenJson() {
    return new Failure(400, 'BROKEN_JSON', 'The body is not JSON.');
  }

  tooLarge() {
    return new Failure(413, 'TOO_LARGE', `The body has more than ${this.maxBodyBytes} bytes.`);
  }

  options(exchange) {
    this.send(exchange, 204, undefined, { allow: 'GET, HEAD, POST, OPTIONS' });
  }

  unknownRoute({ path }) {
    return new Failure(404, 'NO_ROUTE', `There is no route ${path}.`);
  }

  wrongMethod(_exchange, handlers) {
    const allow = Object.keys(handlers).join(', ');
    return new Failure(405, 'WRONG_METHOD', 'The route has no such method.', { headers: { allow } });
  }

  unforeseen() {
    return new Failure(500, 'INTERNAL_ERROR', 'The connector failed.');
  }

  errorBody({ code, message, detail }) {
    return { errors: { code, message, detail } };
  }

  sendFailure(exchange, failure) {
    this.send(exchange, failure.status, this.errorBody(failure), failure.headers);
  }
}
