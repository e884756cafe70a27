"""Mistakes that http.server and Python's own ways make likely."""
import base64
import codecs
import json
import traceback
from datetime import datetime, timedelta, timezone
from http.server import HTTPServer

from connector import Connector
from http_handler import Failure
from registry import defect, warning

NO_JSON = 'JSON|content-type|HTML'
UNREADABLE = 'cannot be read|not readable|unreadable|not (a |valid)|invalid|neither'


@defect('body-is-not-read', 'A POST is refused with 401 before its body is read: the next request begins with it.',
        'S4', 'body|same connection|next request|next response')
class BodyIsNotRead(Connector):
    def handle_method(self):
        try:
            if self.route_path() != '/initialize' and self.command != 'OPTIONS':
                self.authenticate()
        except Failure as failure:
            return self.send_failure(failure)
        super().handle_method()

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_method


@defect('errors-are-written-by-str', "Errors are str() of a dict: {'errors': {'code': …}}.", 'E1', 'JSON')
class ErrorsAreWrittenByStr(Connector):
    def encode_error(self, body):
        return str(body).encode()


@defect('errors-are-not-utf-8', 'Errors are in windows-1252.', 'E1', 'UTF-8|encod')
class ErrorsAreNotUtf8(Connector):
    def no_record(self, record_id):
        return Failure(404, 'NO_RECORD', f'Kein Datensatz für „{record_id}“.')

    def encode_error(self, body):
        return json.dumps(body, ensure_ascii=False).encode('windows-1252')


@defect('errors-begin-with-a-bom', 'Errors begin with a byte order mark.', 'E1', 'BOM|byte order|U\\+FEFF|JSON')
class ErrorsBeginWithABom(Connector):
    def encode_error(self, body):
        return codecs.BOM_UTF8 + self.encode(body)


@defect('unknown-route-is-send-error', 'An unknown route is the HTML page of http.server.', 'E1', NO_JSON)
class UnknownRouteIsSendError(Connector):
    def send_failure(self, failure):
        if failure.code == 'NO_ROUTE':
            return self.send_error(404)
        super().send_failure(failure)


@defect('other-methods-are-send-error', 'Methods without a do_… are a 501 in HTML, OPTIONS and PUT too.', 'E1',
        f'OPTIONS|PUT|{NO_JSON}')
class OtherMethodsAreSendError(Connector):
    def __getattribute__(self, name):
        if name in ('do_OPTIONS', 'do_PUT', 'do_PATCH', 'do_DELETE'):
            raise AttributeError(name)
        return super().__getattribute__(name)


@defect('broken-json-is-a-page', 'Broken JSON gets a 400 in HTML, as Flask writes it.', 'E1', NO_JSON)
class BrokenJsonIsAPage(Connector):
    def send_failure(self, failure):
        if failure.code == 'BROKEN_JSON':
            page = b'<!doctype html>\n<title>400 Bad Request</title>\n<h1>Bad Request</h1>'
            return self.send_bytes(400, page, {}, 'text/html; charset=utf-8')
        super().send_failure(failure)


@defect('errors-are-those-of-fastapi', 'Errors are {"detail": …}, as FastAPI writes them.', 'E1', '\\berrors\\b')
class ErrorsAreThoseOfFastApi(Connector):
    def error_body(self, failure):
        if failure.detail is None:
            return {'detail': failure.message}
        return {'detail': [{'loc': ['body', 'title'], 'msg': failure.detail, 'type': 'value_error'}]}


@defect('unknown-record-is-a-soap-fault', 'A record that is not there is a 404 with the fault of the end system, in XML.',
        'E1', 'XML|JSON|content-type')
class UnknownRecordIsASoapFault(Connector):
    def send_failure(self, failure):
        if failure.code == 'NO_RECORD':
            fault = b'<?xml version="1.0"?><Fault><faultcode>NotFound</faultcode></Fault>'
            return self.send_bytes(404, fault, {}, 'text/xml; charset=utf-8')
        super().send_failure(failure)


@warning('traceback-in-detail', 'The `detail` of a failure is its traceback.', 'E4', 'stack|traceback')
class TracebackInDetail(Connector):
    def report(self):
        {}['rows']

    def unforeseen(self, error):
        detail = ''.join(traceback.format_exception(error))
        return Failure(500, 'INTERNAL_ERROR', 'The connector failed.', detail)


@warning('exception-in-message', 'The message of a failure is that of the exception, with the SQL in it.', 'E4',
        'SQL|message|unforeseen')
class ExceptionInMessage(Connector):
    def report(self):
        raise RuntimeError('near "FROM": syntax error [SQL: SELECT id, secret FROM tenants WHERE name = ?]')

    def unforeseen(self, error):
        return Failure(500, 'INTERNAL_ERROR', str(error))


@defect('unknown-record-closes-the-connection', 'A KeyError ends the connection without a response.', 'E4',
        'connection|closed|no response|no answer|socket|reset')
class UnknownRecordClosesTheConnection(Connector):
    def handle_method(self):
        if self.command == 'GET' and self.route_path() == '/records/0' and self.headers.get('x-session'):
            self.close_connection = True
            return
        super().handle_method()

    do_GET = handle_method


@defect('errors-are-shorter-than-announced', 'The content-length of errors is too long: they never end.', 'E1',
        'length|time|cut|end|whole', timeoutMs=3000)
class ErrorsAreShorterThanAnnounced(Connector):
    def encode_error(self, body):
        self.padding = 16
        return self.encode(body)

    def length_of(self, body):
        return len(body) + self.__dict__.pop('padding', 0)


@defect('wait-date-lies-in-the-past', '`Retry-After` is a date that says GMT and means local time, five hours behind.',
        'W4', 'past|over|zero|\\b0\\b|GMT|still|zone')
class WaitDateLiesInThePast(Connector):
    def wait_headers(self, wait):
        local = datetime.now(timezone.utc) + timedelta(seconds=wait + 1) - timedelta(hours=5)
        return {'Retry-After': local.strftime('%a, %d %b %Y %H:%M:%S GMT')}


@defect('wait-is-an-iso-date', '`Retry-After` is an ISO date, which nobody was told.', 'W4', UNREADABLE)
class WaitIsAnIsoDate(Connector):
    def wait_headers(self, wait):
        return {'Retry-After': (datetime.now(timezone.utc) + timedelta(seconds=wait)).isoformat()}


@defect('wait-is-a-timedelta', '`Retry-After` is str() of a timedelta: 0:00:02.', 'W4', UNREADABLE)
class WaitIsATimedelta(Connector):
    def wait_headers(self, wait):
        return {'Retry-After': str(timedelta(seconds=round(wait) or 1))}


@defect('wait-is-negative', '`Retry-After` is negative: the subtraction is the wrong way round.', 'W4',
        f'-\\d|negative|{UNREADABLE}')
class WaitIsNegative(Connector):
    def wait_headers(self, wait):
        return {'Retry-After': str(-int(wait + 1))}


@defect('limit-is-a-200', 'A limit is a 200 with an error in it.', 'E2', '\\b200\\b|no limit|never')
class LimitIsA200(Connector):
    def limited(self, wait):
        return Failure(200, 'QUOTA_USED_UP', 'Too many searches.', headers=self.wait_headers(wait))


@defect('session-ends-in-a-line-break', 'A value of the session ends in the line break of encodebytes().', 'S2',
        'control|line|\\\\n|character')
class SessionEndsInALineBreak(Connector):
    def session_body(self, token):
        ticket = base64.encodebytes(token.encode()).decode()
        return [*super().session_body(token), {'key': 'x-ticket', 'value': ticket, 'sensitive': True}]


@defect('session-is-a-string', 'initialize answers the token alone, as a JSON string.', 'S1', '\\bstring\\b')
class SessionIsAString(Connector):
    def session_body(self, token):
        return token


@defect('session-lives-in-the-connection', 'A session is known to the connection that logged in, and to no other.',
        'S1', 'connection|parallel|same time|concurren|at once')
class SessionLivesInTheConnection(Connector):
    def setup(self):
        self.mine = {}
        super().setup()

    def sessions(self):
        return self.mine


@defect('one-connection-at-a-time', 'The server has one thread, and a second connection waits until the first is closed.',
        'S3', 'parallel|concurren|same time|connection|at once', timeoutMs=3000)
class OneConnectionAtATime(Connector):
    server_class = HTTPServer


@defect('parameters-are-echoed', 'Parameters that are missing are refused with all that were sent, password too.', 'E5',
        'secret|password|echo|parameter')
class ParametersAreEchoed(Connector):
    def bad_parameters(self, parameters):
        return Failure(400, 'BAD_PARAMETERS', f'user and password are needed, got {parameters!r}')

    def initialize(self):
        sent = self.read_json()
        if isinstance(sent, list) and any(isinstance(e, dict) and e.get('value') for e in sent):
            entries = {e.get('key'): e.get('value') for e in sent if isinstance(e, dict)}
            if self.accounts.get(entries.get('user')) != entries.get('password'):
                raise self.bad_parameters(entries)
        super().initialize()


@defect('cleanup-without-session-fails', 'cleanup without a session is a 500.', 'E2', '\\b500\\b')
class CleanupWithoutSessionFails(Connector):
    def authenticate(self):
        if self.route_path() == '/cleanup' and self.headers.get('x-session') is None:
            raise KeyError('x-session')
        return super().authenticate()


@defect('chunks-are-not-read', 'A body is as long as content-length says; one in chunks is empty.', 'D2', 'chunk')
class ChunksAreNotRead(Connector):
    def chunks(self):
        return self.parts(int(self.headers.get('content-length') or 0))


@defect('data-is-not-utf-8', 'Data is in Latin-1 and says that it is UTF-8.', 'D1', 'UTF-8|charset')
class DataIsNotUtf8(Connector):
    def read_record(self, record_id):
        if record_id not in self.store['records']:
            raise self.no_record(record_id)
        self.send_bytes(200, '{"title": "Größe"}'.encode('latin-1'), {})


@defect('no-content-has-a-body', 'cleanup is a 204 with a body.', 'D1', '\\b204\\b.*content-length')
class NoContentHasABody(Connector):
    def cleanup(self):
        del self.sessions()[self.token]
        self.send_bytes(204, b'{"ok": true}', {})
