"""JSON schemas of records, from the columns of their tables: what the API says about itself is what it reads."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean, Column, Float, Integer

from headwater.store.schema.columns import JsonColumn, UtcDateTime

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
TIME: Schema = {"type": "string", "format": "date-time"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer"}
YES_NO: Schema = {"type": "boolean"}
ANY: Schema = {}
# Generated clients take anything else for an object or a single value.
JSON_LISTS: Mapping[str, Schema] = {
    "authors": TEXT,
    "subjects": TEXT,
    "keywords": ANY,
    "trail": {"type": "object"},
}
PROBLEM: Schema = {
    "type": "object",
    "description": "Problem details (RFC 9457).",
    "properties": {
        "type": {"type": "string", "description": "urn:headwater:problem:REASON"},
        "title": TEXT,
        "status": COUNT,
        "detail": {"type": "string", "description": "A sentence that says what to do."},
    },
    "required": ["type", "title", "status", "detail"],
}


def column_schema(column: Column[Any]) -> Schema:
    kind = column.type
    if isinstance(kind, JsonColumn):
        items = JSON_LISTS.get(column.name)
        return ANY if items is None else {"anyOf": [{"type": "array", "items": items}, {"type": "null"}]}
    schema = (
        TIME
        if isinstance(kind, UtcDateTime)
        else YES_NO
        if isinstance(kind, Boolean)
        else COUNT
        if isinstance(kind, Integer)
        else NUMBER
        if isinstance(kind, Float)
        else TEXT
    )
    return {"anyOf": [schema, {"type": "null"}]} if column.nullable else schema


def record_schema(columns: Mapping[str, Column[Any]], **more: Schema) -> Schema:
    """Any field may be missing: the caller chooses with `fields`."""
    properties = {name: column_schema(column) for name, column in columns.items()}
    return {"type": "object", "properties": properties | more}


def object_schema(required: Mapping[str, Schema], **optional: Schema) -> Schema:
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


def list_schema(item: Schema) -> Schema:
    """A page: `next` is the cursor of the next one, null at the end."""
    return object_schema(
        {"items": {"type": "array", "items": item}, "next": {"anyOf": [TEXT, {"type": "null"}]}}
    )


def json_body(schema: Schema, *, required: bool = True) -> Schema:
    """The description of a JSON body."""
    return {"requestBody": {"required": required, "content": {"application/json": {"schema": schema}}}}


def enumeration(values: Sequence[str]) -> Schema:
    return {"type": "string", "enum": list(values)}
