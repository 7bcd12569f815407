"""The archive's contract: content-addressed, written once, checked when read, the headers beside the bytes."""

import errno
import gzip
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random
from threading import Barrier, Thread

import obstore
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.servers.seaweed import Seaweed, running_seaweed
from tests.support.deadline import DEADLINE
from tests.support.scene import make_capture

from headwater.archive import bucket, warc
from headwater.archive import packs as archive_module
from headwater.archive.bucket import S3Server, open_bucket_archive
from headwater.archive.packs import ObjectArchive, open_folder_archive
from headwater.model.errors import Refused, Temporary
from headwater.model.http import Capture
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


numbers = count(1)


def at(seaweed: Seaweed, **options: str) -> S3Server:
    return S3Server(
        **({"endpoint": seaweed.endpoint, "key": seaweed.key, "secret": seaweed.secret} | options)
    )


@pytest.fixture(params=["folder", "bucket"])
def depot(request: pytest.FixtureRequest, tmp_path: Path) -> Depot:
    """Each kind of archive; add further kinds to the contract here."""
    if request.param == "folder":
        return Depot(open_folder_archive(tmp_path / "archive"))
    server = at(request.getfixturevalue("seaweed"))
    return Depot(open_bucket_archive(server, "depot", f"raw/{next(numbers)}"))


def _digest(body: bytes) -> str:
    return sha256(body).hexdigest()


def _captures(*bodies: bytes, **options) -> list[tuple[Capture, bytes]]:
    return [
        (make_capture("owner", **({"sha256": _digest(body), "size": len(body)} | options)), body)
        for body in bodies
    ]


def _put(archive: Archive, *bodies: bytes, **options) -> list[Capture]:
    return list(archive.put(_captures(*bodies, **options)))


def test_captures_are_read_back_as_they_were_written(depot: Depot):
    first, second = _put(depot.archive, b"one", b"two")
    assert depot.archive.get([second, first]) == {first.sha256: b"one", second.sha256: b"two"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(bodies=st.lists(st.binary(max_size=3000), min_size=1, max_size=4))
def test_any_bytes_come_back_as_they_were(depot: Depot, bodies: list[bytes]):
    stored = _put(depot.archive, *bodies)
    assert depot.archive.get(stored) == {_digest(body): body for body in bodies}


def test_a_capture_that_is_not_there_is_missing_from_the_answer(depot: Depot):
    (stored,) = _put(depot.archive, b"one")
    elsewhere = replace(stored, pack=f"00/{'0' * 64}.warc.gz")
    assert depot.archive.get([stored]) == {stored.sha256: b"one"}
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
    data = depot.read(stored[0].pack)
    records = list(read_records(gzip.decompress(data)))
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
        # Each record is a member of its own, which web-archive tools require for `.warc.gz`.
        (only,) = read_records(gzip.decompress(data[capture.start : capture.start + capture.length]))
        assert only == (head, http, body)


def test_packed_pages_take_a_third_of_their_size_and_one_is_read_without_the_others(depot: Depot):
    pages = [_page(number) for number in range(5)]
    stored = _put(depot.archive, *pages)
    assert 3 * len(depot.read(stored[0].pack)) <= sum(map(len, pages))
    depot.overwrite(stored[0].pack, bytes(stored[3].start) + depot.read(stored[0].pack)[stored[3].start :])
    assert depot.archive.get([stored[3]]) == {_digest(pages[3]): pages[3]}


@pytest.mark.parametrize(("writer", "reader"), [("zlib", "isal.isal_zlib"), ("isal.isal_zlib", "zlib")])
def test_a_pack_is_read_by_the_other_library_for_compression(
    writer: str, reader: str, monkeypatch: pytest.MonkeyPatch
):
    captures = _captures(*map(_page, range(3)))
    monkeypatch.setattr(warc, "_deflate", import_module(writer))
    pack, places = warc.encode_pack(captures)
    monkeypatch.setattr(warc, "_deflate", import_module(reader))
    members = [pack[place.start : place.start + place.length] for place in places]
    bodies = [body for _, body in captures]
    assert [
        warc.decode_body(member, len(body)) for member, body in zip(members, bodies, strict=True)
    ] == bodies
    assert warc.decode_body(members[0][:-9], len(bodies[0])) is None


def _page(number: int) -> bytes:
    """A page as news sites have them: as much navigation as prose."""
    chance = Random(number)
    words = ["".join(chance.choices("aeiounrstlmd", k=chance.randint(2, 9))) for _ in range(400)]
    links = "".join(
        f'<li class="menu-item"><a href="/{word}/">{word.title()}</a></li>' for word in words[:90]
    )
    prose = "".join(f"<p>{' '.join(chance.choices(words, k=60))}.</p>" for _ in range(12))
    return f"<html><body><ul>{links}</ul><article>{prose}</article></body></html>".encode()


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
    data[second.start + second.length // 2] ^= 1
    depot.overwrite(first.pack, bytes(data))
    assert depot.archive.get([first, second, third]) == {first.sha256: b"one", third.sha256: b"three"}


def test_a_truncated_pack_still_returns_what_lies_before_the_cut(depot: Depot):
    first, second = _put(depot.archive, b"one", b"two" * 1000)
    depot.overwrite(first.pack, depot.read(first.pack)[: second.start + 5])
    assert depot.archive.get([first, second]) == {first.sha256: b"one"}


def test_a_damaged_pack_is_written_anew_when_its_captures_come_again(depot: Depot):
    """Half an object that a lost machine left must not block the page for ever."""
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


def test_objects_that_are_not_packs_are_left_alone(depot: Depot):
    """A bucket may hold objects of other programs; a sweep does not see them."""
    (stored,) = _put(depot.archive, b"one")
    depot.overwrite("report.pdf", b"of another program")
    depot.overwrite(f"{stored.pack}.copy", b"of another program")
    assert list(depot.archive.packs(before=datetime.now(UTC) + timedelta(hours=1))) == [stored.pack]


def test_eight_writers_of_the_same_pack_make_one(depot: Depot):
    together, results = Barrier(8), []

    def write() -> None:
        together.wait()
        results.append(tuple(_put(depot.archive, b"one", b"two" * 5_000)))

    writers = [Thread(target=write) for _ in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(DEADLINE)
    assert len(results) == 8
    assert all(result == results[0] for result in results)
    assert depot.objects() == {results[0][0].pack}
    assert depot.archive.get(results[0]) == {_digest(b"one"): b"one", _digest(b"two" * 5_000): b"two" * 5_000}


def test_packs_are_copied_once_and_damaged_ones_are_named(depot: Depot, tmp_path: Path):
    (sound,), (harmed,) = _put(depot.archive, b"sound"), _put(depot.archive, b"harmed")
    depot.overwrite(harmed.pack, b"something else")
    target = open_folder_archive(tmp_path / "target")
    copies = depot.archive.copy([sound.pack, harmed.pack], target)
    assert (copies.copied, copies.damaged) == (1, (harmed.pack,))
    assert depot.archive.copy([sound.pack], target).copied == 0
    assert target.get([sound]) == {sound.sha256: b"sound"}


# The bucket alone: size, keys, and servers that are not there.


def test_a_large_pack_goes_to_a_bucket_in_parts(seaweed: Seaweed, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bucket, "MAX_SINGLE_PUT", 6 << 20)
    monkeypatch.setattr(archive_module, "PART_SIZE", 5 << 20)
    archive = open_bucket_archive(at(seaweed), "large")
    large = os.urandom(11 << 20)
    (stored,) = _put(archive, large)
    assert _put(archive, large) == [stored]
    assert archive.get([stored]) == {stored.sha256: large}
    assert obstore.head(archive.store, stored.pack)["e_tag"].endswith('-3"')  # so many parts it came in
    obstore.put(archive.store, stored.pack, b"half")
    _put(archive, large)
    assert archive.get([stored]) == {stored.sha256: large}


def test_a_wrong_secret_is_reported_without_any_secret(seaweed: Seaweed):
    (stored,) = _put(open_bucket_archive(at(seaweed), "keys"), b"one")
    refused = open_bucket_archive(at(seaweed, secret="not-the-secret"), "keys")
    for call in (
        refused.ready,
        lambda: _put(refused, b"two"),
        lambda: refused.get([stored]),
        lambda: refused.has(stored.pack),
        lambda: list(refused.packs(before=datetime.now(UTC))),
    ):
        with pytest.raises(Temporary) as caught:
            call()
        assert caught.value.reason == "archive_denied"
        assert "s3://keys" in caught.value.detail
        assert "not-the-secret" not in str(caught.value)
    assert "not-the-secret" not in repr(at(seaweed, secret="not-the-secret"))


def test_a_bucket_that_is_not_there_is_not_an_empty_one(seaweed: Seaweed):
    """Captures of a misnamed bucket are not damaged: they are elsewhere."""
    (stored,) = _put(open_bucket_archive(at(seaweed), "right"), b"one")
    wrong_archive = open_bucket_archive(at(seaweed), "wrong")
    for call in (lambda: wrong_archive.get([stored]), lambda: wrong_archive.whole(stored.pack)):
        with pytest.raises(Temporary, match="s3://wrong") as caught:
            call()
        assert caught.value.reason == "archive_no_bucket"


def test_a_bucket_is_made_by_servers_that_make_them_and_ready_again_and_again(seaweed: Seaweed):
    archive = open_bucket_archive(at(seaweed), "made-by-need")
    archive.ready()
    archive.ready()
    assert list(archive.packs(before=datetime.now(UTC) + timedelta(hours=1))) == []


def test_an_encrypted_endpoint_is_never_asked_in_the_clear():
    server = S3Server(endpoint="https://127.0.0.1:1", key="k", secret="s")
    assert server.bucket("one").client_options["allow_http"] == "false"
    plain = S3Server(endpoint="http://127.0.0.1:1", key="k", secret="s")
    assert plain.bucket("one").client_options["allow_http"] == "true"


@pytest.mark.long
def test_a_server_that_was_killed_has_everything_when_it_is_back(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bucket, "RETRIES", 1)
    with running_seaweed() as server:
        archive = open_bucket_archive(
            at(server), "orange"
        )  # its name says "range", as errors about ranges do
        stored = [*_put(archive, b"one"), *_put(archive, b"two")]
        server.kill()
        for call in (lambda: _put(archive, b"three"), lambda: archive.get(stored)):
            with pytest.raises(Temporary) as caught:
                call()
            assert caught.value.reason == "archive_unavailable"
        server.start()
        assert archive.get(stored) == {
            capture.sha256: body for capture, body in zip(stored, (b"one", b"two"), strict=True)
        }
        (third,) = _put(archive, b"three")
        assert archive.get([third]) == {third.sha256: b"three"}


# The folder alone: paths, rights and space.


@pytest.mark.parametrize(
    "pack", ["../../../outside", "/etc/hosts", "..", "aa/../../../x", "", "%2e%2e/x", "a\x00b"]
)
def test_packs_stay_inside_the_folder(tmp_path: Path, pack: str):
    (tmp_path / "outside").write_bytes(b"secret")
    archive = open_folder_archive(tmp_path / "deep" / "archive")
    assert archive.get([make_capture("o", sha256=_digest(b"secret"), size=6, pack=pack)]) == {}


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Refused, match="cannot be made") as refused:
        open_folder_archive(tmp_path / "file" / "archive")
    assert refused.value.reason == "archive_unwritable"


def test_a_removed_folder_is_made_again(tmp_path: Path):
    archive = open_folder_archive(tmp_path / "archive")
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
    """A disk that is too small: a real one where mounting is allowed, otherwise a write that raises the error."""
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
        archive = open_folder_archive(tmp_path / "disk" / "archive")
        with pytest.raises(Temporary) as caught:
            _put(archive, large)
        assert caught.value.reason == "disk_full"
        assert list(archive.packs(before=datetime.now(UTC) + timedelta(hours=1))) == []
