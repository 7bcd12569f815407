"""Small servers on the loopback that receive what is sent to operators: one for HTTP, one for mail."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.deadline import DEADLINE


@dataclass
class Posted:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class HttpReceiver:
    """Answers with the statuses in `answers`, then with 200; records what it was sent. While `go_on` is cleared it
    receives requests and does not answer them."""

    port: int = 0
    posted: list[Posted] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.go_on.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def http_receiver() -> Iterator[HttpReceiver]:
    receiver = HttpReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.posted.append(Posted(self.path, dict(self.headers), body))
            receiver.go_on.wait(DEADLINE)
            status, headers = receiver.answers.pop(0) if receiver.answers else (200, {})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            with suppress(OSError):  # the client may be dead by now
                self.end_headers()
                self.wfile.write(b"taken")

        def log_message(self, *words: Any) -> None:
            """No log is needed."""

    with _serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        receiver.port = port
        yield receiver


@dataclass
class MailReceiver:
    """`refuse` maps a command, or a recipient's address, to the answer that refuses it. `received` holds the recipients of
    each letter."""

    port: int = 0
    received: list[list[str]] = field(default_factory=list)
    letters: list[Message] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    refuse: dict[str, str] = field(default_factory=dict)


class MailHandler(socketserver.StreamRequestHandler):
    """The part of SMTP that a letter needs."""

    def handle(self) -> None:
        self._say("220 mail.example ready")
        for line in iter(self.rfile.readline, b""):
            words = line.decode().strip()
            if not self._answer(words.split(" ")[0].upper(), words):
                return

    def _answer(self, command: str, words: str) -> bool:
        receiver: MailReceiver = self.server.receiver
        address = words.partition("<")[2].partition(">")[0]
        if command == "MAIL":
            self.recipients: list[str] = []
        if refusal := receiver.refuse.get(command) or receiver.refuse.get(address):
            self._say(refusal)
        elif command == "RCPT":
            self.recipients.append(address)
            self._say("250 ok")
        elif command == "EHLO":
            self._say("250-mail.example\r\n250 AUTH PLAIN")
        elif command == "AUTH":
            receiver.logins.append(words)
            self._say("235 welcome")
        elif command == "DATA":
            self._say("354 go on")
            receiver.letters.append(message_from_bytes(self._letter()))
            receiver.received.append(self.recipients)
            self._say("250 taken")
        else:
            self._say("221 bye" if command == "QUIT" else "250 ok")
        return command != "QUIT"

    def _letter(self) -> bytes:
        lines = iter(self.rfile.readline, b".\r\n")
        return b"".join(line[1:] if line.startswith(b"..") else line for line in lines)

    def _say(self, words: str) -> None:
        self.wfile.write(f"{words}\r\n".encode())


class MailServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    receiver: MailReceiver


@contextmanager
def mail_receiver() -> Iterator[MailReceiver]:
    server = MailServer(("127.0.0.1", 0), MailHandler)
    server.receiver = MailReceiver()
    with _serving(server) as port:
        server.receiver.port = port
        yield server.receiver


@contextmanager
def _serving(server: socketserver.TCPServer) -> Iterator[int]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
