"""The archive's contract: content-addressed, written once, checked when read, the headers beside the bytes."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import obstore
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.scene import make_capture

from headwater.backends.archive import ObjectArchive, open_folder
from headwater.model.capture import Capture
from headwater.model.errors import Refused, Temporary
from headwater.model.ports import Archive


@dataclass(frozen=True)
class Depot:
    """An archive under test, with a way to its objects that does not go through the archive."""

    archive: ObjectArchive

    def read(self, key: str) -> bytes:
        return bytes(obstore.get(self.archive.store, key).bytes())

    def overwrite(self, key: str, body: bytes) -> None:
        obstore.put(self.archive.store, key, body)

    def objects(self) -> set[str]:
        return {entry["path"] for page in obstore.list(self.archive.store) for entry in page}


# Further homes of the archive (a bucket, say) join the contract by another entry here.
HOMES = {"folder": open_folder}


@pytest.fixture(params=sorted(HOMES))
def depot(request: pytest.FixtureRequest, tmp_path: Path) -> Depot:
    return Depot(HOMES[request.param](tmp_path / "archive"))


def _digest(body: bytes) -> str:
    return sha256(body).hexdigest()


def _captures(*bodies: bytes, **told) -> list[tuple[Capture, bytes]]:
    return [
        (make_capture("owner", **({"sha256": _digest(body), "size": len(body)} | told)), body)
        for body in bodies
    ]


def _put(archive: Archive, *bodies: bytes, **told) -> list[Capture]:
    return list(archive.put(_captures(*bodies, **told)))


def test_what_was_put_is_got(depot: Depot):
    first, second = _put(depot.archive, b"one", b"two")
    assert depot.archive.get([second, first]) == {first.sha256: b"one", second.sha256: b"two"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(bodies=st.lists(st.binary(max_size=3000), min_size=1, max_size=4))
def test_any_bytes_come_back_as_they_were(depot: Depot, bodies: list[bytes]):
    stored = _put(depot.archive, *bodies)
    assert depot.archive.get(stored) == {_digest(body): body for body in bodies}


def test_a_capture_that_is_not_there_is_missing_from_the_answer(depot: Depot):
    (known,) = _put(depot.archive, b"one")
    elsewhere = replace(known, pack=f"00/{'0' * 64}.warc")
    assert depot.archive.get([known]) == {known.sha256: b"one"}
    assert depot.archive.get([elsewhere]) == {}
    assert depot.archive.get([]) == {}
    assert depot.archive.put([]) == ()


def test_the_same_captures_twice_are_written_once(depot: Depot):
    stored = _put(depot.archive, b"one", b"two")
    before = {key: depot.read(key) for key in depot.objects()}
    assert _put(depot.archive, b"one", b"two") == stored
    assert {key: depot.read(key) for key in depot.objects()} == before
    assert len(before) == 1


def test_a_pack_is_named_by_its_bytes(depot: Depot):
    (stored,) = _put(depot.archive, b"one")
    assert _digest(depot.read(stored.pack)) in stored.pack


def test_a_pack_is_a_web_archive_with_the_headers_beside_the_bytes(depot: Depot):
    stored = _put(
        depot.archive,
        b"one",
        b"two\r\n\r\nWARC/1.1",
        headers={"ETag": '"x"', "X-Odd": "é", "Content-Encoding": "gzip", "X-Split": "a\r\nb: c"},
        status=203,
    )
    records = list(read_records(depot.read(stored[0].pack)))
    assert [body for _, _, body in records] == [b"one", b"two\r\n\r\nWARC/1.1"]
    for (head, http, body), capture in zip(records, stored, strict=True):
        assert head["WARC-Type"] == "response"
        assert head["WARC-Payload-Digest"] == f"sha256:{capture.sha256}"
        assert head["WARC-Target-URI"] == capture.final_url
        assert http[0].startswith("HTTP/1.1 203 ")
        assert 'ETag: "x"' in http
        assert "X-Odd: é" in http
        assert f"Content-Length: {len(body)}" in http
        assert not any(line.startswith(("Content-Encoding", "b:")) for line in http)


def read_records(data: bytes):
    """A reader of the format, independent of the writer: headers, HTTP lines, body."""
    place = 0
    while place < len(data):
        end = data.index(b"\r\n\r\n", place)
        version, *lines = data[place:end].decode().split("\r\n")
        assert version == "WARC/1.1"
        head = dict(line.split(": ", 1) for line in lines)
        block = data[end + 4 : end + 4 + int(head["Content-Length"])]
        http, _, body = block.partition(b"\r\n\r\n")
        place = end + 4 + len(block)
        assert data[place : place + 4] == b"\r\n\r\n"
        place += 4
        yield head, http.decode().split("\r\n"), body


def test_a_damaged_body_is_not_returned_and_its_neighbours_are(depot: Depot):
    first, second, third = _put(depot.archive, b"one", b"two", b"three")
    data = bytearray(depot.read(first.pack))
    data[second.start] ^= 1
    depot.overwrite(first.pack, bytes(data))
    assert depot.archive.get([first, second, third]) == {first.sha256: b"one", third.sha256: b"three"}


def test_a_pack_cut_short_still_gives_what_lies_before_the_cut(depot: Depot):
    first, second = _put(depot.archive, b"one", b"two" * 1000)
    depot.overwrite(first.pack, depot.read(first.pack)[: second.start + 5])
    assert depot.archive.get([first, second]) == {first.sha256: b"one"}


def test_a_damaged_pack_is_written_anew_when_its_captures_come_again(depot: Depot):
    """Half an object left by a lost machine must not keep the page out for ever."""
    (stored,) = _put(depot.archive, b"one")
    depot.overwrite(stored.pack, b"on")
    _put(depot.archive, b"one")
    assert depot.archive.get([stored]) == {stored.sha256: b"one"}


def test_every_pack_is_listed_and_can_be_removed(depot: Depot):
    (first,), (second,) = _put(depot.archive, b"one"), _put(depot.archive, b"two")
    soon = datetime.now(UTC) + timedelta(hours=1)
    assert set(depot.archive.packs(before=soon)) == {first.pack, second.pack}
    assert set(depot.archive.packs(before=soon - timedelta(days=1))) == set()
    depot.archive.remove([first.pack])
    assert depot.archive.get([first, second]) == {second.sha256: b"two"}
    assert depot.objects() == {second.pack}


# The folder alone: paths, rights and space.


@pytest.mark.parametrize(
    "pack", ["../../../outside", "/etc/hosts", "..", "aa/../../../x", "", "%2e%2e/x", "a\x00b"]
)
def test_packs_stay_inside_the_folder(tmp_path: Path, pack: str):
    (tmp_path / "outside").write_bytes(b"secret")
    archive = open_folder(tmp_path / "deep" / "archive")
    assert archive.get([make_capture("o", sha256=_digest(b"secret"), size=6, pack=pack)]) == {}


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Refused, match="cannot be made") as refused:
        open_folder(tmp_path / "file" / "archive")
    assert refused.value.reason == "archive_unwritable"


def test_a_removed_folder_is_made_again(tmp_path: Path):
    archive = open_folder(tmp_path / "archive")
    (tmp_path / "archive").rmdir()
    (stored,) = _put(archive, b"one")
    assert archive.get([stored]) == {stored.sha256: b"one"}


@contextmanager
def _tiny_disk(folder: Path) -> Iterator[None]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@contextmanager
def _full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A disk too small for what is put on it: a real one where mounting is allowed, else a put that says so."""
    try:
        with _tiny_disk(folder):
            yield
    except (subprocess.CalledProcessError, FileNotFoundError, PermissionError):
        with monkeypatch.context() as patch:
            patch.setattr(obstore, "put", _no_space)
            yield


def _no_space(*_args: object, **_told: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_temporary_and_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    large = os.urandom(200_000)
    with _full_disk(tmp_path / "disk", monkeypatch):
        archive = open_folder(tmp_path / "disk" / "archive")
        with pytest.raises(Temporary) as caught:
            _put(archive, large)
        assert caught.value.reason == "disk_full"
        assert list(archive.packs(before=datetime.now(UTC) + timedelta(hours=1))) == []
