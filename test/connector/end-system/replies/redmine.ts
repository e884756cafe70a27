import { type ReplySet, withoutWait } from '../reply-set.js';

const json = { 'content-type': 'application/json' };

export const redmine: ReplySet = {
  product: 'Redmine',
  checkedAgainst: 'recorded responses',
  replies: [
    {
      what: 'a limit of the server in front',
      status: 429,
      headers: { 'retry-after': '2', 'content-type': 'text/html', server: 'nginx' },
      body: '<html><h1>429 Too Many Requests</h1></html>',
      gives: { is: 'rate-limit', waitMs: 2_000 },
      control: withoutWait(60_000),
    },
    {
      what: 'a revoked key',
      recorded: { from: 'Redmine 5.0.4', on: '2026-11-21' },
      status: 401,
      headers: { ...json, 'www-authenticate': 'Basic realm="Redmine API"' },
      body: '',
      gives: { is: 'unauthorized' },
    },
    {
      what: 'a denial',
      recorded: { from: 'Redmine 5.0.4', on: '2026-11-21' },
      status: 403,
      headers: json,
      body: '',
      gives: { is: 'forbidden' },
    },
    {
      what: 'a missing issue',
      recorded: { from: 'Redmine 5.0.4', on: '2026-11-21' },
      status: 404,
      headers: json,
      body: '',
      gives: { is: 'not-found' },
    },
    {
      what: 'a missing route',
      recorded: { from: 'Redmine 5.0.4', on: '2026-11-21' },
      status: 404,
      headers: { 'content-type': 'text/html' },
      body: '<!DOCTYPE html><html></html>',
      gives: { is: 'not-found' },
    },
    {
      what: 'an issue without a project',
      recorded: { from: 'Redmine 5.0.4', on: '2026-11-21' },
      status: 422,
      body: { errors: ['Project cannot be blank', 'Tracker cannot be blank', 'Status cannot be blank'] },
      gives: { is: 'bad-request', message: 'Project cannot be blank; Tracker cannot be blank; Status cannot be blank' },
    },
    {
      what: 'an outdated version',
      recorded: { from: 'Redmine 5.0.4', on: '2026-11-21' },
      status: 422,
      body: { errors: [] },
      gives: { is: 'bad-request' },
    },
    {
      what: 'broken JSON',
      recorded: { from: 'Redmine 5.0.4', on: '2026-11-21' },
      status: 400,
      headers: { 'content-type': 'text/html' },
      body: '',
      gives: { is: 'bad-request' },
    },
    {
      what: 'a successful write',
      recorded: { from: 'Redmine 5.0.4', on: '2026-11-21' },
      status: 204,
      gives: 'success',
    },
    {
      what: 'a bare 503 of the server in front',
      status: 503,
      headers: { 'content-type': 'text/html', server: 'nginx' },
      body: '<html></html>',
      gives: { is: 'other', status: 503 },
    },
  ],
};
