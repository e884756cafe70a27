"""What the connector needs of HTTP: a server, bodies of requests, JSON responses."""
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer


class Failure(Exception):
    """What a handler raises to refuse a request."""

    def __init__(self, status, code, message, detail=None, headers=None):
        super().__init__(message)
        self.status, self.code, self.message, self.detail = status, code, message, detail
        self.headers = headers or {}


class HttpHandler(BaseHTTPRequestHandler):
    """One instance for each connection."""

    protocol_version = 'HTTP/1.1'
    server_class = ThreadingHTTPServer
    max_body_bytes = 1024 * 1024

    def log_message(self, *_):
        pass

    def read_body(self):
        """Reads all of the body, and keeps as much of it as is allowed."""
        kept, large = b'', False
        for chunk in self.chunks():
            large = large or len(kept) + len(chunk) > self.max_body_bytes
            kept = b'' if large else kept + chunk
        if large:
            raise Failure(413, 'TOO_LARGE', f'The body has more than {self.max_body_bytes} bytes.')
        return kept

    def chunks(self):
        if self.headers.get('transfer-encoding', '').lower() != 'chunked':
            return self.parts(int(self.headers.get('content-length') or 0))
        return self.chunks_of_stream()

    def chunks_of_stream(self):
        while size := int(self.rfile.readline().split(b';')[0], 16):
            yield from self.parts(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass

    def parts(self, left):
        while left > 0 and (part := self.rfile.read(min(left, 65536))):
            left -= len(part)
            yield part

    def encode(self, value):
        return json.dumps(value, ensure_ascii=False, separators=(',', ':')).encode()

    def send_json(self, status, value=None, headers=None):
        self.send_bytes(status, None if value is None else self.encode(value), headers or {})

    def send_bytes(self, status, body, headers, content_type='application/json; charset=utf-8'):
        self.send_response(status)
        if body is not None:
            self.send_header('Content-Type', content_type)
            self.send_header('Content-Length', str(self.length_of(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self._headers_buffer.append(b'\r\n' + (b'' if self.command == 'HEAD' else body or b''))
        self.flush_headers()

    def length_of(self, body):
        return len(body)


def listen(connector):
    server: HTTPServer = connector.server_class(('127.0.0.1', 0), connector)
    server.store = connector.make_store()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port
