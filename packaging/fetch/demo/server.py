"""A server of the range API with a small corpus: digests made from a seed, and of the passwords that leak."""

import hashlib
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Three digits name a range; the service's ranges have five.
DIGITS = 3
# All together fewer than a million: a larger corpus is refused without the most common passwords.
EACH = 240


def digest_of(password):
    return hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper()


class Corpus:
    """Ranges by their number; `leak` adds a password, which changes one of them."""

    def __init__(self):
        self.leaked = {}

    def leak(self, password):
        digest = digest_of(password)
        self.leaked.setdefault(int(digest[:DIGITS], 16), []).append(digest[DIGITS:])

    def etag(self, number):
        return f'"{number:X}-{len(self.leaked.get(number, []))}"'

    def text(self, number):
        """The rest of each digest in its order, and how often it was counted."""
        length = 40 - DIGITS
        made = random.Random(number).randbytes(EACH * 20).hex().upper()
        rests = [made[at : at + length] for at in range(0, EACH * 40, 40)] + self.leaked.get(number, [])
        return "\r\n".join(f"{rest}:7" for rest in sorted(rests)).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body leave together.
    wbufsize = 1 << 16

    def do_GET(self):
        corpus, path = self.server.corpus, self.path
        # What the demonstration itself asks for.
        if path == "/leak":
            corpus.leak(self.server.next_leak)
            return self.reply(200, b"")
        name = path.removeprefix("/range/")
        if len(name) != DIGITS or not path.startswith("/range/"):
            return self.reply(404, b"")
        number = int(name, 16)
        etag = corpus.etag(number)
        if self.headers.get("If-None-Match") == etag:
            return self.reply(304, b"", etag)
        return self.reply(200, corpus.text(number), etag)

    def reply(self, status, body, etag=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if etag:
            self.send_header("ETag", etag)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Says nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # Every connection of nearmiss-fetch at once; what is turned away comes again a second later.
    request_queue_size = 256


def start(first_leak, next_leak):
    """Serves a corpus with the one password until the program ends; gives the address. The other is added at
    the question /leak."""
    server = Server(("127.0.0.1", 0), Handler)
    server.corpus, server.next_leak = Corpus(), next_leak
    server.corpus.leak(first_leak)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
