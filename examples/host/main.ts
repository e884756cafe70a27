/**
 * A product with its own users table, sign-in and brand gives its customers API keys, below /settings:
 * `npx tsx examples/host/main.ts`, then open http://127.0.0.1:8095/settings.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdmin } from 'concordat/admin';
import { openApiKeys } from 'concordat/api-keys';
import { gracefulClose, toNodeHandler } from 'concordat/connector/node';
import express from 'express';
import { openSqlite } from '../service/sqlite.js';

const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path fill="#0b7a5c" d="M4 1 8 8H1z"/></svg>';

export async function startHost({ port = 8095, directory = '.' } = {}) {
  // The product as it was: a table of users without passwords, and sessions of its single sign-on.
  const people = await openSqlite(`${directory}/acme.db`, 'create table if not exists people(login primary key, boss)');
  people.exec("insert or ignore into people values ('ada', 1), ('sam', 0)");
  const sessions = new Map<string, string>();
  const sessionOf = ({ headers }: IncomingMessage) => /(?:^|; )acme=([^;]+)/.exec(headers.cookie ?? '')?.[1] ?? '';

  // What it adds: a look-up of users, who is signed in, and how it looks.
  const findUser = (login: string) => {
    const row = people.prepare('select boss from people where login = ?').get(login);
    return row && { id: login, username: login, superAdmin: row.boss === 1 };
  };
  const shared = { edition: 'Professional', users: { findById: findUser, findByUsername: findUser } };
  const apiKeys = await openApiKeys({ ...shared, database: `${directory}/acme-keys.db`, keyPrefix: 'acme' });
  const admin = createAdmin({
    ...shared,
    apiKeys,
    basePath: '/settings',
    authenticate: (_request, { incoming }) => sessions.get(sessionOf(incoming)),
    signInUrl: (returnTo) => `/login?to=${encodeURIComponent(returnTo)}`,
    signOutUrl: '/logout',
    branding: { name: 'Acme', accent: '#0b7a5c', logo },
  });

  const app = express().use(express.json(), express.urlencoded({ extended: true }));
  app.use('/settings', toNodeHandler(admin));
  app.get('/login', ({ query }, response) => {
    // In place of the identity provider.
    const to = encodeURIComponent(String(query.to));
    const button = (login: string) => `<button name="login" value="${login}">Sign in as ${login}</button>`;
    const form = `<form method="post" action="?to=${to}">${button('ada')}${button('sam')}</form>`;
    response.send(`<!doctype html><title>Acme</title>${form}`);
  });
  app.post('/login', ({ body, query }, response) => {
    const session = randomUUID();
    sessions.set(session, String(body?.login));
    response.cookie('acme', session, { httpOnly: true, sameSite: 'lax' });
    response.redirect(303, /^\/settings(?:\/|$)/.test(String(query.to)) ? String(query.to) : '/settings');
  });
  app.get('/logout', (request, response) => {
    sessions.delete(sessionOf(request));
    response.clearCookie('acme').redirect('/login');
  });
  app.get('/orders', async (request, response) => {
    const caller = await apiKeys.authenticate(request.rawHeaders);
    response.status(caller ? 200 : 401).json(caller ? { orders: 3, for: caller.userId } : { error: 'No valid key' });
  });

  const server = app.listen(port, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const closeServer = gracefulClose(server);
  const close = async () => {
    await Promise.all([closeServer(), admin.close()]);
    await apiKeys.close();
    people.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

if (process.argv[1] === import.meta.filename) {
  const { url, close } = await startHost({ port: Number(process.env.PORT ?? 8095), directory: process.env.DATA });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, close);
  console.log(`${url}/settings`);
}
