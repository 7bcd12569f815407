"""The language model of py3langid with its tables in a mapped file that processes share.

A text touches few parts of the tables (67 MB), and what no process has touched takes no memory.
"""

import mmap
import zipfile
from array import array
from functools import cache
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

from headwater.documents.language.unpacked_model import map_unpacked

_LOCAL_HEADER, _NAME_SIZE, _EXTRA_SIZE = 30, slice(26, 28), slice(28, 30)


class LanguageScorer(LanguageIdentifier):  # type: ignore[misc]  # py3langid has no types
    """The model, which also answers without sorting."""

    __slots__ = ()

    def shares(self, text: str) -> dict[str, float]:
        """What `rank` returns, in no order: those who compare a few languages need none."""
        scores = self._decide(text).tolist()
        shares = dict(zip(self.nb_classes, scores, strict=True))
        for first, _ in self._alias_pairs:  # of a language with two columns, the first has its share
            shares[self.nb_classes[first]] = scores[first]
        return shares


@cache
def language_model() -> LanguageScorer:
    """Loaded once per process. The first process of a machine needs a third of a second, others 20 ms. A model whose tables
    differ from those of the tested version is loaded as py3langid does it."""
    archive = map_unpacked(MODEL_DIR / MODEL_FILE)
    try:
        return _read_model(archive)
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile):
        return cast("LanguageScorer", LanguageScorer.from_model_file(MODEL_FILE, norm_probs=True))


def _read_model(archive: mmap.mmap) -> LanguageScorer:
    with zipfile.ZipFile(cast("IO[bytes]", archive)) as contents:
        tables = {
            member.filename.removesuffix(".npy"): _table(archive, member) for member in contents.infolist()
        }
    return LanguageScorer(
        tables["ptc"],
        np.array(tables["pc"]),
        tables["classes"].tolist(),
        tables["nextmove"].data,  # of single entries faster than an array of NumPy
        array("i", tables["out_feat"].astype(np.intc, casting="safe").tobytes()),
        norm_probs=True,
        tk_row=array("H", tables["nextmove_row"].astype(np.ushort, casting="safe").tobytes()),
    )


def _table(archive: mmap.mmap, member: zipfile.ZipInfo) -> npt.NDArray[Any]:
    """A table that lies in its archive as it is: NumPy stores them uncompressed."""
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{member.filename} of the language model is compressed")
    archive.seek(member.header_offset)
    header = archive.read(_LOCAL_HEADER)
    archive.seek(sum(int.from_bytes(header[size], "little") for size in (_NAME_SIZE, _EXTRA_SIZE)), 1)
    np.lib.format.read_magic(archive)
    shape, by_column, dtype = np.lib.format.read_array_header_1_0(archive)
    return np.ndarray(shape, dtype, archive, archive.tell(), order="F" if by_column else "C")
