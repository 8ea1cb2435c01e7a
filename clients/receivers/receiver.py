"""Receives the events of webhooks.

It verifies the signature of each request, and prints the type, the sequence number and the
id of each event that it had not received before. It needs only the standard library.

    WEBHOOK_SECRET=whsec_... RECEIVER_ADDR=127.0.0.1:9000 python3 receiver.py
"""

import base64
import binascii
import hashlib
import hmac
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY = 1 << 20
TOLERANCE = 5 * 60  # seconds; an older request may have been recorded and sent again

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"), validate=True)
SEEN = set()  # use a table of your database instead
LOCK = threading.Lock()


def verify(headers, body, now):
    """Raise ValueError unless the request was signed with the key, recently."""
    event_id, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp")
    if not event_id or not timestamp or not timestamp.isdigit():
        raise ValueError("the request has no webhook-id or no webhook-timestamp")
    if abs(now - int(timestamp)) > TOLERANCE:
        raise ValueError("the request is too old, or the clocks differ")
    signed = f"{event_id}.{timestamp}.".encode() + body
    want = hmac.new(KEY, signed, hashlib.sha256).digest()
    # While a secret is being replaced there are two signatures. One of them must match.
    for signature in headers.get("webhook-signature", "").split():
        version, _, encoded = signature.partition(",")
        if version != "v1":
            continue
        try:
            got = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            continue
        if hmac.compare_digest(got, want):
            return
    raise ValueError("no signature matches")


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10  # seconds

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MAX_BODY:
            self.answer(400)
            self.close_connection = True
            return
        body = self.rfile.read(int(length))
        try:
            verify(self.headers, body, time.time())
        except ValueError:
            self.answer(401)
            return
        event = json.loads(body)
        # An event may arrive more than once. Answer quickly; do long work later.
        with LOCK:
            known = event["id"] in SEEN
            SEEN.add(event["id"])
            if not known:
                print(event["type"], event["sequence"], event["id"], flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Print nothing but events."""


if __name__ == "__main__":
    host, _, port = os.environ["RECEIVER_ADDR"].rpartition(":")
    ThreadingHTTPServer((host, int(port)), Receiver).serve_forever()
