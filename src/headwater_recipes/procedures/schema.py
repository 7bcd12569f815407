"""The JSON Schema of ProcedureDoc."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).with_name("ProcedureDoc.v1.schema.json")
LONGEST_MESSAGE = 200


@cache
def procedure_schema() -> Mapping[str, Any]:
    schema: Mapping[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return schema


@cache
def _validator() -> Any:
    # Imported at first use: the library takes time to import, and most commands validate nothing.
    return import_module("jsonschema").Draft202012Validator(procedure_schema())


def schema_problems(document: Any) -> list[str]:
    """The errors of a document, each with its path. Empty for a valid document."""
    return [f"{error.json_path}: {_shortened(error.message)}" for error in _validator().iter_errors(document)]


def _shortened(message: str) -> str:
    """Messages quote the invalid value, which may be a whole page."""
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:LONGEST_MESSAGE]}…"
