"""The encoder's files: made once from the weights of a package, kept under the data folder."""

import json
import shutil
import tempfile
from pathlib import Path

from headwater.documents.embedding.models import require_package
from headwater.documents.embedding.onnx_graph import NetworkShape, encoder_graph
from headwater.documents.embedding.weights import (
    BundledModel,
    check_weights,
    find_bundled_model,
    read_weights,
)

NAME = "all-MiniLM-L6-v2-int8"
EDITION = "1"
"""Of the way the graph is written; a new one is built beside the old one, and their vectors are not mixed."""

MODEL, TOKENIZER, ORIGIN = "model.onnx", "tokenizer.json", "origin.json"
LICENCE = "Apache-2.0 (sentence-transformers/all-MiniLM-L6-v2)"


def build_encoder(folder: Path) -> Path:
    """The folder of the built encoder inside `folder`, built now if it is not there yet.

    Of two processes that build at once, both succeed: each builds in a folder of its own, and one is put in place.
    """
    home = folder / "models" / f"{NAME}-{EDITION}"
    if (home / ORIGIN).exists():
        return home
    home.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".building-", dir=home.parent))
    try:
        _build(find_bundled_model(), draft)
        _put_in_place(draft, home)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return home


def _build(source: BundledModel, draft: Path) -> None:
    graph = encoder_graph(check_weights(read_weights(source.network)), NetworkShape())
    require_package("onnx").save(graph, str(draft / MODEL))
    shutil.copyfile(source.tokenizer, draft / TOKENIZER)
    told = {"model": NAME, "edition": EDITION, "licence": LICENCE, "weights": source.origin}
    (draft / ORIGIN).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    draft.chmod(0o755)


def _put_in_place(draft: Path, home: Path) -> None:
    try:
        draft.replace(home)
    except OSError:
        if not (home / ORIGIN).exists():
            raise
