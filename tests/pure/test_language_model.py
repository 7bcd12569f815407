"""The language model in a file that processes share: never a part of it, and in memory where no file can be written."""

import io
import lzma
import resource
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier
from tests.pure.test_language import SENTENCES

from headwater.documents.language import model
from headwater.documents.language.unpacked_model import map_unpacked

TABLES = {
    "ptc": np.array([[0, -9], [-9, 0]], dtype=np.float16),
    "pc": np.zeros(2, dtype=np.float32),
    "classes": np.array(["aa", "bb"]),
    "nextmove": np.array([byte % 3 for byte in range(256)] * 3, dtype=np.uint16),
    "nextmove_row": np.arange(3, dtype=np.uint16),
    "out_feat": np.array([-1, 0, 1], dtype=np.int32),
}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    file = tmp_path / "model.npz.xz"
    file.write_bytes(lzma.compress(_archive()))
    return file


@pytest.fixture
def fresh_model() -> Iterator[None]:
    """The model is loaded anew, and the next test that needs it loads the usual one."""
    model.language_model.cache_clear()
    yield
    model.language_model.cache_clear()


def _archive() -> bytes:
    archive = io.BytesIO()
    np.savez(archive, **TABLES)
    return archive.getvalue()


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_rankings_are_those_of_the_plain_model() -> None:
    plain = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    assert len(SENTENCES) >= 10
    for text in SENTENCES.values():
        assert model.language_model().rank(text) == plain.rank(text)


def test_processes_map_the_same_file_which_only_their_user_can_read(temporary: Path, packed: Path) -> None:
    assert map_unpacked(packed)[:] == _archive()
    (file,) = _files(temporary)
    before = file.stat()
    assert map_unpacked(packed)[:] == _archive()
    assert _files(temporary) == [file]
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert (before.st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_those_who_need_the_file_at_once_write_one(temporary: Path, packed: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        archives = list(pool.map(map_unpacked, [packed] * 8))
    assert {archive[:] for archive in archives} == {_archive()}
    assert len(_files(temporary)) == 1


def test_a_part_of_a_file_is_never_mapped(temporary: Path, packed: Path) -> None:
    map_unpacked(packed)
    (file,) = _files(temporary)
    file.write_bytes(_archive()[:-1])
    file.with_suffix(".partial").write_bytes(b"left by a killed process")
    assert map_unpacked(packed)[:] == _archive()
    assert _files(temporary) == [file]
    assert file.read_bytes() == _archive()


def test_another_model_has_another_file(temporary: Path, packed: Path) -> None:
    map_unpacked(packed)
    packed.write_bytes(lzma.compress(_archive(), preset=0))
    map_unpacked(packed)
    assert len(_files(temporary)) == 2


def test_a_full_disk_leaves_the_model_in_memory_and_no_file(temporary: Path, packed: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        archive = map_unpacked(packed)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert archive[:] == _archive()
    assert _files(temporary) == []


def test_a_folder_that_others_can_write_to_is_not_used(temporary: Path, packed: Path) -> None:
    map_unpacked(packed)
    (file,) = _files(temporary)
    file.write_bytes(b"another user's")
    file.parent.chmod(0o777)
    assert map_unpacked(packed)[:] == _archive()
    assert file.read_bytes() == b"another user's"


@pytest.mark.usefixtures("fresh_model")
def test_without_a_folder_for_temporary_files_languages_are_still_recognised(
    temporary: Path, packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary.rmdir()
    monkeypatch.setattr(model, "MODEL_FILE", packed)
    assert model.language_model().rank("\x01")[0][0] == "aa"
    assert model.language_model() is model.language_model()


@pytest.mark.usefixtures("fresh_model", "temporary")
@pytest.mark.parametrize(
    "changed", [{"out_feat": np.array([-1, 0, 1])}, {"nextmove_row": np.arange(3, dtype=np.uint32)}, None]
)
def test_a_model_with_other_tables_is_loaded_by_its_library(
    changed: dict[str, np.ndarray] | None, packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = io.BytesIO()
    if changed is None:
        np.savez_compressed(archive, **TABLES)
    else:
        np.savez(archive, **TABLES | changed)
    packed.write_bytes(lzma.compress(archive.getvalue()))
    monkeypatch.setattr(model, "MODEL_FILE", packed)
    assert model.language_model().rank("\x01")[0][0] == "aa"
    assert model.language_model().rank("\x02")[0][0] == "bb"
