"""A complete, correct connector on http.server alone. Each stranger changes one thing about it."""
import json
import math
import secrets
import threading
import time

from http_handler import Failure, HttpHandler


class Connector(HttpHandler):
    """One instance for each connection; what they share is in `store`."""

    accounts = {'ada': 'correct horse'}
    limit, window_seconds = 5, 1.5

    @classmethod
    def make_store(cls):
        return {
            'records': {'1': {'id': 1, 'title': 'The lamp in the hall flickers'}},
            'sessions': {},  # by token: whether it has ended
            'used': 0,
            'ends_at': 0.0,
            'lock': threading.Lock(),
        }

    @property
    def store(self):
        return self.server.store

    def handle_method(self):
        try:
            self.body = self.read_body()
            self.route()
        except Failure as failure:
            self.send_failure(failure)
        except Exception as error:
            self.send_failure(self.unforeseen(error))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_method

    def route(self):
        if self.command == 'OPTIONS':
            return self.send_json(204, None, {'Allow': 'GET, HEAD, POST, OPTIONS'})
        if self.route_path() != '/initialize':
            self.token = self.authenticate()
        handlers = self.routes(self.route_path())
        if handlers is None:
            raise self.unknown_route()
        handler = handlers.get('GET' if self.command == 'HEAD' else self.command)
        if handler is None:
            raise Failure(405, 'WRONG_METHOD', 'The route has no such method.', headers={'Allow': ', '.join(handlers)})
        handler()

    def route_path(self):
        return self.path.split('?')[0]

    def routes(self, path):
        if path.startswith('/records/'):
            return {'GET': lambda: self.read_record(path[len('/records/'):])}
        return {
            '/initialize': {'POST': self.initialize},
            '/records': {'GET': self.list_records, 'POST': self.create_record},
            '/search': {'GET': self.search},
            '/admin': {'GET': self.admin},
            '/report': {'GET': self.report},
            '/logout': {'POST': self.logout},
            '/cleanup': {'POST': self.cleanup},
        }.get(path)

    # Sessions

    def initialize(self):
        parameters = self.read_json()
        if isinstance(parameters, list):
            parameters = {e.get('key'): e.get('value') for e in parameters if isinstance(e, dict)}
        if not isinstance(parameters, dict) or not all(
            isinstance(parameters.get(name), str) for name in ('user', 'password')
        ):
            raise self.bad_parameters(parameters)
        if self.accounts.get(parameters['user']) != parameters['password']:
            raise Failure(401, 'BAD_LOGIN', 'Wrong user or password.')
        self.send_json(200, self.session_body(self.open_session()))

    def bad_parameters(self, _parameters):
        return Failure(400, 'BAD_PARAMETERS', '`user` and `password` are needed.')

    def open_session(self):
        token = secrets.token_urlsafe(24)
        self.sessions()[token] = False
        print(token, flush=True)  # for whoever looks whether a report shows it
        return token

    def sessions(self):
        return self.store['sessions']

    def session_body(self, token):
        return [{'key': 'x-session', 'value': token, 'sensitive': True}]

    def authenticate(self):
        token = self.headers.get('x-session')
        if token is None:
            raise Failure(401, 'NO_SESSION', 'Log in first.')
        if self.sessions().get(token, True):
            raise Failure(401, 'BAD_SESSION', 'The session is not known, or over.')
        return token

    def logout(self):
        self.sessions()[self.token] = True
        self.send_json(204)

    def cleanup(self):
        del self.sessions()[self.token]
        self.send_json(204)

    # Records

    def list_records(self):
        self.send_json(200, list(self.store['records'].values()))

    def read_record(self, record_id):
        if record_id not in self.store['records']:
            raise self.no_record(record_id)
        self.send_json(200, self.store['records'][record_id])

    def no_record(self, record_id):
        return Failure(404, 'NO_RECORD', f'There is no record {record_id}.')

    def create_record(self):
        record = self.read_json()
        if not isinstance(record, dict) or not isinstance(record.get('title'), str) or record['title'] == '':
            raise self.invalid_record()
        record = {'id': len(self.store['records']) + 1, 'title': record['title']}
        self.store['records'][str(record['id'])] = record
        self.send_json(201, record)

    def invalid_record(self):
        return Failure(400, 'BAD_RECORD', 'The record is not valid.', 'title: must not be empty')

    def admin(self):
        raise Failure(403, 'NOT_ALLOWED', 'Only administrators may read this.')

    def report(self):
        raise Failure(502, 'END_SYSTEM_DOWN', 'The end system cannot be reached.')

    # The limit

    def search(self):
        with self.store['lock']:
            now = time.time()
            if now >= self.store['ends_at']:
                self.store.update(used=0, ends_at=now + self.window_seconds)
            self.store['used'] += 1
            if self.store['used'] > self.limit:
                raise self.limited(self.store['ends_at'] - now)
        self.list_records()

    def limited(self, wait):
        return Failure(403, 'QUOTA_USED_UP', 'Too many searches.', headers=self.wait_headers(wait))

    def wait_headers(self, wait):
        return {'Retry-After': str(math.ceil(wait))}

    # Refused requests

    def read_json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            raise self.broken_json() from None

    def broken_json(self):
        return Failure(400, 'BROKEN_JSON', 'The body is not JSON.')

    def unknown_route(self):
        return Failure(404, 'NO_ROUTE', 'There is no such route.')

    def unforeseen(self, _error):
        return Failure(500, 'INTERNAL_ERROR', 'The connector failed.')

    def error_body(self, failure):
        detail = {} if failure.detail is None else {'detail': failure.detail}
        return {'errors': {'code': failure.code, 'message': failure.message, **detail}}

    def send_failure(self, failure):
        self.send_bytes(failure.status, self.encode_error(self.error_body(failure)), failure.headers)

    def encode_error(self, body):
        return self.encode(body)
