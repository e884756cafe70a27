"""A connector in nothing but the Python standard library: the contract is not tied to a language."""

import json
import math
import os
import re
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PASSWORD = os.environ["FOREIGN_PASSWORD"]
LARGEST_BODY = 1024 * 1024
SESSIONS = set()
ISSUES = [{"id": 1, "title": "It broke"}]
PHOTO = bytes(range(256))
LIMIT = {"requests": 3, "window": 1.0, "used": 0, "ends_at": 0.0}
LOCK = threading.Lock()


class Failure(Exception):
    def __init__(self, status, code, message, headers=None):
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, headers or {}


def initialize(handler):
    parameters = handler.read_json()
    if not isinstance(parameters, list) or not all(isinstance(entry, dict) and "key" in entry for entry in parameters):
        raise Failure(400, "BAD_PARAMETERS", "The body must be an array of {key, value, sensitive}")
    given = {entry["key"]: entry.get("value") for entry in parameters}
    if given.get("user") != "alice" or given.get("password") != PASSWORD:
        raise Failure(401, "WRONG_PASSWORD", "User or password is wrong")
    session = str(uuid.uuid4())
    SESSIONS.add(session)
    return 200, [{"key": "X-Session", "value": session, "sensitive": True}]


def list_issues(handler):
    return 200, ISSUES


def create_issue(handler):
    issue = handler.read_json()
    title = issue.get("title") if isinstance(issue, dict) else None
    if not isinstance(title, str) or title == "":
        raise Failure(400, "BAD_ISSUE", "`title` is empty")
    ISSUES.append({"id": len(ISSUES) + 1, "title": title})
    return 201, ISSUES[-1]


def read_issue(number):
    for issue in ISSUES:
        if issue["id"] == number:
            return 200, issue
    raise Failure(404, "NO_ISSUE", f"There is no issue {number}")


def read_photo(handler):
    return 200, PHOTO


def deny(handler):
    raise Failure(403, "DENIED", "Not for you")


def break_down(handler):
    raise ValueError("a defect")


def limited(handler):
    with LOCK:
        now = time.monotonic()
        if now >= LIMIT["ends_at"]:
            LIMIT.update(used=0, ends_at=now + LIMIT["window"])
        LIMIT["used"] += 1
        if LIMIT["used"] > LIMIT["requests"]:
            wait = math.ceil(LIMIT["ends_at"] - now)
            raise Failure(403, "LIMIT", "Three requests a second are allowed", {"Retry-After": str(wait)})
    return 200, {}


def end_session(handler):
    SESSIONS.discard(handler.headers.get("X-Session"))
    return 204, None


ROUTES = {
    "GET /issues": list_issues,
    "HEAD /issues": list_issues,
    "POST /issues": create_issue,
    "GET /photo": read_photo,
    "GET /secrets": deny,
    "GET /broken": break_down,
    "GET /limited": limited,
    "POST /expire": end_session,
    "POST /cleanup": end_session,
}


class Connector(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        path = self.path.split("?")[0]
        if f"{self.command} {path}" == "POST /initialize":
            return initialize(self)
        issue = re.fullmatch(r"/issues/(\d{1,9})", path)
        route = ROUTES.get(f"{self.command} {path}")
        if route is None and not (issue and self.command == "GET"):
            raise Failure(404, "NO_ROUTE", f"There is no {self.command} {path}")
        if self.headers.get("X-Session") not in SESSIONS:
            raise Failure(401, "NO_SESSION", "The session is missing or has ended")
        return read_issue(int(issue[1])) if issue else route(self)

    def read_json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            raise Failure(400, "BAD_JSON", "The body is not valid JSON") from None

    def parts(self):
        """The parts of the body: a streamed one comes in chunks and has no length."""
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            yield from self.read_parts(int(self.headers.get("Content-Length") or 0))
            return
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield from self.read_parts(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass

    def read_parts(self, left):
        while left > 0 and (part := self.rfile.read(min(left, 65536))):
            left -= len(part)
            yield part

    def respond(self):
        self.body, length = b"", 0
        for part in self.parts():  # read to the end, so that the client gets to see the answer
            length += len(part)
            self.body += part if length <= LARGEST_BODY else b""
        try:
            if length > LARGEST_BODY:
                raise Failure(413, "TOO_LARGE", "The body is larger than 1 MiB")
            status, value, headers = *self.answer(), {}
        except Failure as failure:
            status, headers = failure.status, failure.headers
            value = {"errors": {"code": failure.code, "message": failure.message}}
        except Exception:  # the details belong into a log
            status, headers = 500, {}
            value = {"errors": {"code": "DEFECT", "message": "The connector failed"}}
        is_file = isinstance(value, bytes)
        body = b"" if value is None else value if is_file else json.dumps(value).encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "image/png" if is_file else "application/json; charset=utf-8")
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        for name, text in headers.items():
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle(self):
        try:
            super().handle()
        except ConnectionError:  # the client is gone: nothing that a test's output should show
            pass

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = respond

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Connector)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
