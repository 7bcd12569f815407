"""Which files are ours to change: those that carry our seal, unbroken. Whatever a person wrote or edited is curated."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from headwater_recipes.procedures.files.layout import as_json

SEAL = "headwater_seal"


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    bare = {name: value for name, value in document.items() if name != SEAL}
    return bare | {SEAL: _seal(bare)}


def is_ours(document: Any) -> bool:
    """True for what we wrote and nobody touched or verified since."""
    if (
        not isinstance(document, Mapping)
        or document.get("verificado")
        or document.get("verified_by") == "manual"
    ):
        return False
    bare = {name: value for name, value in document.items() if name != SEAL}
    return document.get(SEAL) == _seal(bare)


def _seal(bare: Mapping[str, Any]) -> str:
    return sha256(as_json(dict(bare))).hexdigest()
