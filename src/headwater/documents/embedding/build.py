"""Builds the files of the encoder once, from the weights in a package, under the data folder."""

import json
import shutil
import tempfile
from pathlib import Path

from headwater.documents.embedding.models import MODEL, TOKENIZER, require_package
from headwater.documents.embedding.onnx_graph import NetworkShape, encoder_graph
from headwater.documents.embedding.weights import (
    BundledModel,
    check_weights,
    find_bundled_model,
    read_weights,
)

NAME = "all-MiniLM-L6-v2-int8"
EDITION = "1"
"""Version of the graph. A new edition gets its own folder, and its vectors are never mixed with older ones."""

ORIGIN = "origin.json"
LICENCE = "Apache-2.0 (sentence-transformers/all-MiniLM-L6-v2)"


def build_encoder(folder: Path) -> Path:
    """The folder of the encoder inside `folder`; built first if it does not exist.

    Two processes may build at the same time: each builds in its own folder, and one of them is put in place.
    """
    target = folder / "models" / f"{NAME}-{EDITION}"
    if (target / ORIGIN).exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".building-", dir=target.parent))
    try:
        _build(find_bundled_model(), draft)
        _put_in_place(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def _build(source: BundledModel, draft: Path) -> None:
    graph = encoder_graph(check_weights(read_weights(source.network)), NetworkShape())
    require_package("onnx").save(graph, str(draft / MODEL))
    shutil.copyfile(source.tokenizer, draft / TOKENIZER)
    origin = {"model": NAME, "edition": EDITION, "licence": LICENCE, "weights": source.origin}
    (draft / ORIGIN).write_text(json.dumps(origin, indent=1) + "\n", encoding="utf-8")
    draft.chmod(0o755)


def _put_in_place(draft: Path, target: Path) -> None:
    try:
        draft.replace(target)
    except OSError:
        if not (target / ORIGIN).exists():
            raise
