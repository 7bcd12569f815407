"""The language model of py3langid with its two large tables in a mapped file instead of memory.

A text touches few parts of the tables (67 MB), and what a process has not touched takes no memory. The file has no name and goes
with the process.
"""

import lzma
import shutil
import tempfile
import zipfile
from array import array
from functools import cache
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

_LOCAL_HEADER, _NAME_SIZE, _EXTRA_SIZE = 30, slice(26, 28), slice(28, 30)


@cache
def language_model() -> LanguageIdentifier:
    """Loaded once per process, in half a second."""
    with lzma.open(MODEL_DIR / MODEL_FILE) as packed, tempfile.TemporaryFile() as file:
        shutil.copyfileobj(packed, file, 1 << 20)
        with zipfile.ZipFile(file) as archive:
            tables = {
                member.filename.removesuffix(".npy"): _mapped_table(file, member)
                for member in archive.infolist()
            }
    return LanguageIdentifier(
        tables["ptc"],
        np.array(tables["pc"]),
        tables["classes"].tolist(),
        tables["nextmove"].data,  # of single entries faster than an array of NumPy
        array("i", tables["out_feat"].tobytes()),
        norm_probs=True,
        tk_row=array("H", tables["nextmove_row"].tobytes()),
    )


def _mapped_table(file: IO[bytes], member: zipfile.ZipInfo) -> npt.NDArray[Any]:
    """A table that lies in its archive as it is: NumPy stores them uncompressed."""
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{member.filename} of the language model is compressed")
    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER)
    file.seek(sum(int.from_bytes(header[size], "little") for size in (_NAME_SIZE, _EXTRA_SIZE)), 1)
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    return np.asarray(np.memmap(file, dtype, "r", file.tell(), shape))
