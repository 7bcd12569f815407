"""Stories about a country, by the list of codes in their attributes."""

from typing import Any

from sqlalchemy import ColumnElement, Dialect, exists, func, select, true

from headwater.store.schema.flow import stories

FIELD = "countries"


def is_about_country(code: str, dialect: Dialect) -> ColumnElement[bool]:
    if dialect.name == "postgresql":
        return func.jsonb_exists(func.jsonb_extract_path(stories.c.attributes, FIELD), code)
    codes: Any = func.json_each(stories.c.attributes, f"$.{FIELD}").table_valued("value")
    return exists(select(true()).select_from(codes).where(codes.c.value == code))
