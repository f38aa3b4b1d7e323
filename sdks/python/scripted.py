"""A server that does what its script says, to test what a real service does too rarely."""

import http.server
import json
import threading
import unittest
from pathlib import Path

import countersign as sdk

HERE = Path(__file__).resolve().parent

ANSWERS = json.loads((HERE.parent / "answers.json").read_text())
SENT = (200, {**ANSWERS["send"], "newer": True})
PHONE = "+447400123456"


def refusal(status, kind, details=None, **headers):
    error = {"type": kind, "message": f"about {kind}", "details": details or {}}
    body = {"error": error, "request_id": "req_of_the_service"}
    return (status, body, {name.replace("_", "-"): value for name, value in headers.items()})


DROP, DROP_HEADERS, DROP_MIDWAY = "drop", "drop in the headers", "drop midway"
TRICKLE, TRICKLE_HEADERS, ENDLESS = "trickle", "trickle headers", "endless"
HINTED, ENDLESS_HINTS = "hinted", "endless hints"
HINT = b"HTTP/1.1 103 Early Hints\r\nLink: </page.css>; rel=preload\r\n\r\n"


class Script(http.server.BaseHTTPRequestHandler):
    """Each request uses one step, in order; the last step is repeated."""

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        received = self.server.received
        received.append((self.command, self.path, dict(self.headers.items()), body))
        steps = self.server.steps
        step = steps[min(len(received), len(steps)) - 1]
        self.close_connection = True
        if step == DROP:
            return
        if step == DROP_HEADERS:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Le")
            return
        if step == DROP_MIDWAY:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + b'{"otp_id": "otp_')
            return
        if step == TRICKLE:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
            while not self.server.is_over.wait(0.02):
                self.wfile.write(b" ")
            return
        if step == TRICKLE_HEADERS:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not self.server.is_over.wait(0.02):
                self.wfile.write(b"X-Slow: yes\r\n")
            return
        if step == ENDLESS:
            self.wfile.write(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
            while not self.server.is_over.is_set():
                self.wfile.write(b" " * 65_536)
            return
        if step == ENDLESS_HINTS:
            while not self.server.is_over.wait(0.02):
                self.wfile.write(HINT)
            return
        if step == HINTED:
            self.wfile.write(HINT + b"HTTP/1.1 102 Processing\r\n\r\n")
            step = SENT
        status, content, *headers = step
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        raw = text.encode() if isinstance(text, str) else text
        self.send_response(status)
        for name, value in (headers[0] if headers else {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = answer

    def log_message(self, *args):
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True


class Quiet(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


class ScriptedCase(unittest.TestCase):
    def serve(self, *steps, **options):
        server = Quiet(("127.0.0.1", 0), Script)
        server.steps, server.received, server.is_over = steps, [], threading.Event()
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.addCleanup(server.is_over.set)
        client = sdk.Countersign("otp_sk_a", base_url=f"http://127.0.0.1:{server.server_port}", **options)
        self.waits = []
        client._transport.sleep = self.waits.append
        return client, server.received
