"""Connectors that are unusual, and right."""
import json
import time

from connector import Connector
from http_handler import Failure
from registry import odd


@odd('plain', 'The connector that the others are made of.')
class Plain(Connector):
    pass


@odd('http-1-0', 'HTTP/1.0: every response ends its connection.')
class Http10(Connector):
    protocol_version = 'HTTP/1.0'


@odd('closes-after-each-response', 'HTTP/1.1, and every response says `Connection: close`.')
class ClosesAfterEachResponse(Connector):
    def end_with_close(self, headers):
        self.close_connection = True
        return {**headers, 'Connection': 'close'}

    def send_bytes(self, status, body, headers, content_type='application/json; charset=utf-8'):
        super().send_bytes(status, body, self.end_with_close(headers), content_type)


@odd('unicode-messages', 'Messages and records have umlauts, kanji and an emoji, as UTF-8.')
class UnicodeMessages(Connector):
    def no_record(self, record_id):
        return Failure(404, 'KEIN_DATENSATZ', f'Für „{record_id}“ gibt es keinen Datensatz. 見つかりません 🔍')

    def list_records(self):
        self.send_json(200, [{'id': 1, 'title': 'Flurlampe – flackert 💡'}])


@odd('unicode-escaped', 'JSON is ASCII with escapes, indented, and the charset is in upper case.')
class UnicodeEscaped(Connector):
    def no_record(self, record_id):
        return Failure(404, 'KEIN_DATENSATZ', f'Für „{record_id}“ gibt es keinen Datensatz. 🔍')

    def encode(self, value):
        return json.dumps(value, indent=4).encode()

    def send_bytes(self, status, body, headers, content_type='Application/JSON;charset=UTF-8'):
        super().send_bytes(status, body, headers, content_type)


@odd('no-charset', 'The content type is application/json, without a charset.')
class NoCharset(Connector):
    def send_bytes(self, status, body, headers, content_type='application/json'):
        super().send_bytes(status, body, headers, content_type)


@odd('long-session', 'The token has 6,000 characters.')
class LongSession(Connector):
    def open_session(self):
        token = super().open_session() + 'x' * 6000
        self.sessions()[token] = False
        return token


@odd('code-is-digits', 'Codes are numbers of the end system, written as text.')
class CodeIsDigits(Connector):
    def error_body(self, failure):
        return {'errors': {**super().error_body(failure)['errors'], 'code': str(1000 + failure.status)}}


@odd('detail-has-lines', '`detail` has 4 KB in many lines, quotes and tabs.')
class DetailHasLines(Connector):
    def invalid_record(self):
        detail = '\n'.join(f'line {n}:\t"title" must not be empty' for n in range(100))
        return Failure(400, 'BAD_RECORD', 'The record is not valid.', detail)


@odd('challenge-beside-401', 'A 401 has a `WWW-Authenticate` challenge.')
class ChallengeBeside401(Connector):
    def send_failure(self, failure):
        if failure.status == 401:
            failure.headers['WWW-Authenticate'] = 'Session realm="records"'
        super().send_failure(failure)


@odd('wait-is-a-moment', 'The wait is the moment in `X-RateLimit-Reset`, in seconds since 1970, which is declared.',
     rateLimit={'header': 'X-RateLimit-Reset', 'format': 'epoch-seconds'})
class WaitIsAMoment(Connector):
    def wait_headers(self, wait):
        return {'X-RateLimit-Reset': str(int(time.time() + wait) + 1)}


@odd('head-and-options-are-refused', 'HEAD and OPTIONS are a 405 with the body of the contract.')
class HeadAndOptionsAreRefused(Connector):
    def route(self):
        if self.command in ('HEAD', 'OPTIONS'):
            raise Failure(405, 'WRONG_METHOD', 'The route has no such method.', headers={'Allow': 'GET, POST'})
        super().route()


@odd('session-cannot-be-ended', 'Tokens are not stored, so cleanup answers 200 with a body and ends nothing.')
class SessionCannotBeEnded(Connector):
    def cleanup(self):
        self.send_json(200, {'ended': False})
