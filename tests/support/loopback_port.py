"""A port on which something listens already."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def busy_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]
