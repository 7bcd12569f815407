"""The archive's contract: content-addressed, written once, checked when read, the headers beside the bytes."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec
import obstore
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.scene import make_capture

from headwater.backends.archive import ObjectArchive, object_key, open_folder
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


def _put(archive: Archive, *bodies: bytes, **told) -> list[str]:
    captures = [
        make_capture("owner", **({"sha256": _digest(body), "size": len(body)} | told)) for body in bodies
    ]
    archive.put(list(zip(captures, bodies, strict=True)))
    return [_digest(body) for body in bodies]


def test_what_was_put_is_got(depot: Depot):
    first, second = _put(depot.archive, b"one", b"two")
    assert depot.archive.get([second, first]) == {first: b"one", second: b"two"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(body=st.binary(max_size=3000))
def test_any_bytes_come_back_as_they_were(depot: Depot, body: bytes):
    (digest,) = _put(depot.archive, body)
    assert depot.archive.get([digest]) == {digest: body}


def test_a_digest_that_is_not_there_is_missing_from_the_answer(depot: Depot):
    (known,) = _put(depot.archive, b"one")
    assert depot.archive.get([known, _digest(b"never")]) == {known: b"one"}
    assert depot.archive.get([]) == {}


def test_the_same_bytes_twice_are_written_once(depot: Depot):
    (digest,) = _put(depot.archive, b"one", url="https://first.example/")
    before = {key: depot.read(key) for key in depot.objects()}
    _put(depot.archive, b"one", url="https://second.example/")
    assert {key: depot.read(key) for key in depot.objects()} == before
    assert set(before) == {object_key(digest), object_key(digest) + ".json"}


def test_the_headers_lie_beside_the_bytes(depot: Depot):
    (digest,) = _put(
        depot.archive, b"one", headers={"ETag": '"x"', "X-Odd": "é"}, status=203, media_type="text/plain"
    )
    beside = msgspec.json.decode(depot.read(object_key(digest) + ".json"))
    assert beside["headers"] == {"ETag": '"x"', "X-Odd": "é"}
    assert (beside["status"], beside["media_type"], beside["size"]) == (203, "text/plain", 3)
    assert (beside["sha256"], beside["url"]) == (digest, "https://wire.example/a")
    assert beside["fetched_at"] == "2026-11-13T09:00:00Z"


@pytest.mark.parametrize("damage", [b"", b"on", b"onE", b"one and more"])
def test_a_damaged_object_is_not_returned(depot: Depot, damage: bytes):
    digest, sound = _put(depot.archive, b"one", b"two")
    depot.overwrite(object_key(digest), damage)
    assert depot.archive.get([digest, sound]) == {sound: b"two"}


def test_a_damaged_object_is_written_anew_when_its_bytes_come_again(depot: Depot):
    """Half an object left by a lost machine must not keep the page out for ever."""
    (digest,) = _put(depot.archive, b"one")
    depot.overwrite(object_key(digest), b"on")
    _put(depot.archive, b"one")
    assert depot.archive.get([digest]) == {digest: b"one"}


def test_every_digest_is_listed_and_can_be_removed(depot: Depot):
    first, second = _put(depot.archive, b"one", b"two")
    assert set(depot.archive.digests()) == {first, second}
    depot.archive.remove([first])
    assert depot.archive.get([first, second]) == {second: b"two"}
    assert depot.objects() == {object_key(second), object_key(second) + ".json"}


# The folder alone: paths, rights and space.


@pytest.mark.parametrize(
    "digest", ["../../../outside", "/etc/hosts", "..", "aabb/../../../x", "", "%2e%2e/x", "a\x00b"]
)
def test_keys_stay_inside_the_folder(tmp_path: Path, digest: str):
    outside = tmp_path / "outside"
    outside.write_bytes(b"secret")
    archive = open_folder(tmp_path / "deep" / "archive")
    before = sorted(tmp_path.rglob("*"))
    assert archive.get([digest]) == {}
    with pytest.raises(ValueError, match="digest"):
        archive.put([(make_capture("o", sha256=digest), b"bytes")])
    assert sorted(tmp_path.rglob("*")) == before
    assert outside.read_bytes() == b"secret"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Refused, match="cannot be made") as refused:
        open_folder(tmp_path / "file" / "archive")
    assert refused.value.reason == "archive_unwritable"


def test_a_removed_folder_is_made_again_or_told_as_temporary(tmp_path: Path):
    archive = open_folder(tmp_path / "archive")
    (tmp_path / "archive").rmdir()
    assert archive.get([_digest(b"one")]) == {}
    (digest,) = _put(archive, b"one")
    assert archive.get([digest]) == {digest: b"one"}


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
        assert archive.get([_digest(large)]) == {}
        assert list(archive.digests()) == []
