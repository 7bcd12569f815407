"""Frames between a child and its parent: a length of eight bytes, then that many bytes."""

import os
import struct

LENGTH = struct.Struct("<Q")
LARGEST_READ = 1 << 20


def frame_parts(*parts: bytes) -> tuple[bytes, ...]:
    """What to write for one frame. A large document is not copied."""
    size = sum(map(len, parts))
    whole = (LENGTH.pack(size), *parts)
    return (b"".join(whole),) if size < LARGEST_READ else whole


def send_frame(handle: int, *parts: bytes) -> None:
    for part in frame_parts(*parts):
        write_all(handle, part)


def write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def receive_frame(handle: int) -> bytes | None:
    """The next frame, or None at the end of the input."""
    head = _exactly(handle, LENGTH.size)
    return None if head is None else _exactly(handle, LENGTH.unpack(head)[0])


def _exactly(handle: int, count: int) -> bytes | None:
    parts: list[bytes] = []
    while count:
        part = os.read(handle, min(count, LARGEST_READ))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
