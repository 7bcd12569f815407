"""Builds the files of a built-in encoder once, from the weights in a package, under the data folder."""

import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from headwater.documents.embedding.models import MODEL, MODELS, TOKENIZER, require_package
from headwater.documents.embedding.onnx_graph import NetworkShape, encoder_graph
from headwater.documents.embedding.universal_graph import universal_graph
from headwater.documents.embedding.universal_weights import (
    build_tokenizer,
    find_universal_files,
    read_universal_weights,
)
from headwater.documents.embedding.weights import check_weights, find_bundled_model, read_weights

ORIGIN = "origin.json"


@dataclass(frozen=True, slots=True)
class BuiltinEncoder:
    """An encoder whose weights are in a package of the extra `nlp`.

    `edition` is the version of the graph: a new one gets its own folder. `name` is stored with each vector, so it changes
    with everything that changes vectors. `write` writes the files into a folder and returns where the weights come from.
    """

    name: str
    edition: str
    licence: str
    write: Callable[[Path], str]


def _write_english(folder: Path) -> str:
    source = find_bundled_model()
    graph = encoder_graph(check_weights(read_weights(source.network)), NetworkShape())
    require_package("onnx").save(graph, str(folder / MODEL))
    shutil.copyfile(source.tokenizer, folder / TOKENIZER)
    return source.origin


def _write_multilingual(folder: Path) -> str:
    files = find_universal_files()
    graph = universal_graph(read_universal_weights(files.weights))
    require_package("onnx").save(graph, str(folder / MODEL))
    build_tokenizer(files.pieces).save(str(folder / TOKENIZER), pretty=False)
    return files.origin


ENGLISH = BuiltinEncoder(
    "all-MiniLM-L6-v2-int8", "1", "Apache-2.0 (sentence-transformers/all-MiniLM-L6-v2)", _write_english
)
MULTILINGUAL = BuiltinEncoder(
    "universal-multilingual-v3-int8-1",
    "1",
    "Apache-2.0 (Google Universal Sentence Encoder Multilingual v3)",
    _write_multilingual,
)
BUILTIN_ENCODERS = {
    "english": ENGLISH,
    "multilingual": MULTILINGUAL,
    ENGLISH.name: ENGLISH,
    MULTILINGUAL.name: MULTILINGUAL,
}
"""By the names that the setting `encoder` accepts."""


def build_encoder(folder: Path, encoder: BuiltinEncoder) -> Path:
    """The folder of the encoder inside `folder`; built first if it does not exist.

    Two processes may build at the same time: each builds in its own folder, and one of them is put in place.
    """
    target = folder / MODELS / f"{encoder.name}-{encoder.edition}"
    if (target / ORIGIN).exists():
        return target
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".building-", dir=target.parent))
    try:
        _build(encoder, draft)
        _put_in_place(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def _build(encoder: BuiltinEncoder, draft: Path) -> None:
    weights = encoder.write(draft)
    origin = {
        "model": encoder.name,
        "edition": encoder.edition,
        "licence": encoder.licence,
        "weights": weights,
    }
    (draft / ORIGIN).write_text(json.dumps(origin, indent=1) + "\n", encoding="utf-8")
    draft.chmod(0o755)


def _put_in_place(draft: Path, target: Path) -> None:
    try:
        draft.replace(target)
    except OSError:
        if not (target / ORIGIN).exists():
            raise
