"""A server on the loopback for benchmarks: one function answers for every host."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, dict[str, str], bytes]
AnswerFunction = Callable[[str, str], Answer]
"""From host and path to status, headers and body."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that leave early are part of the benchmarks."""


@contextmanager
def serving(answer: AnswerFunction) -> Iterator[str]:
    """The address of a running server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, headers, body = answer(self.headers["Host"].partition(":")[0], self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", headers.get("X-Length", str(len(body))))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *parts: object) -> None:
            del parts

    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
