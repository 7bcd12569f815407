"""The zip file of an office document, opened within limits, whatever it claims about its size."""

import io
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO

from headwater.extract.xml.parser import LARGEST as LARGEST_XML
from headwater.extract.xml.parser import Element, NotXml, parse_xml

MOST_MEMBERS = 20_000
LARGEST_MEMBER = LARGEST_XML
# Text compresses about tenfold, the XML around it up to a hundredfold, a bomb a thousandfold.
LARGEST_RATIO = 400
_RATIO_CHECKED_FROM = 1_000_000
_CHUNK = 1 << 16


class BadContainer(ValueError):
    """`reason` is malformed, encrypted or too_large."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Container:
    file: zipfile.ZipFile

    def names(self) -> list[str]:
        return self.file.namelist()

    def has(self, name: str) -> bool:
        return name in self.file.NameToInfo

    def read(self, name: str) -> bytes:
        """The bytes of a member, counted while they are decompressed."""
        try:
            info = self.file.getinfo(name)
            if info.flag_bits & 1:
                raise BadContainer("encrypted", f"{name} is encrypted")
            with self.file.open(info) as stream:
                return _bounded(stream, max(1, info.compress_size))
        except KeyError as error:
            raise BadContainer("malformed", f"{name} is missing") from error
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, EOFError, ValueError) as error:
            if isinstance(error, BadContainer):
                raise
            raise BadContainer("malformed", f"{name}: {error}"[:200]) from error

    def tree(self, name: str) -> Element:
        try:
            return parse_xml(self.read(name))
        except NotXml as error:
            raise BadContainer(error.reason, f"{name}: {error}") from error

    def tree_if_any(self, name: str) -> Element | None:
        """For parts that are not necessary to read the document."""
        try:
            return self.tree(name)
        except BadContainer:
            return None


def open_container(data: bytes) -> Container:
    try:
        file = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, EOFError, IndexError) as error:
        raise BadContainer("malformed", str(error)[:200]) from error
    except RuntimeError as error:
        raise BadContainer("malformed", str(error)[:200]) from error
    if len(file.filelist) > MOST_MEMBERS:
        raise BadContainer("too_large", f"{len(file.filelist)} members")
    return Container(file)


def _bounded(stream: IO[bytes], compressed: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := stream.read(_CHUNK):
        parts.append(part)
        size += len(part)
        if size > LARGEST_MEMBER:
            raise BadContainer("too_large", f"a member of more than {LARGEST_MEMBER} bytes")
        if size > _RATIO_CHECKED_FROM and size > compressed * LARGEST_RATIO:
            raise BadContainer("too_large", f"a member that is compressed more than {LARGEST_RATIO} times")
    return b"".join(parts)
