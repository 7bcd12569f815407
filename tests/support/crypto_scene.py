"""Short ways to make articles of the recipe `crypto`, for tests of the tables that other programs read."""

from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, text
from tests.support.scene import Scene, make_lead, make_source

from headwater.model.jobs import Draft, Task
from headwater.model.source import Source
from headwater.store.connect import read_transaction

CRYPTO = "crypto"


def crypto(name: str = "Ledger", **fields: Any) -> Source:
    return make_source(name, recipe=CRYPTO, **fields)


def ask(engine: Engine, query: str, **values: Any) -> list[dict[str, Any]]:
    with read_transaction(engine) as connection:
        return [dict(row) for row in connection.execute(text(query), values).mappings()]


def drafts(scene: Scene, source: Source, *paths: str, **fields: Any) -> list[Draft]:
    """Documents of the feed with their bodies, claimed for refining."""
    leads = [make_lead(path, source=source, body=f"body of {path}", **fields) for path in paths]
    scene.poll(*leads, source=source)
    claimed = {draft.id: draft for draft in scene.claim(Task.REFINE, recipe=CRYPTO, limit=1_000)}
    return [claimed[lead.document] for lead in leads]


def moment(value: Any) -> datetime:
    return value if isinstance(value, datetime) else datetime.fromisoformat(value)


def settings_file(folder: Path, database: str, *lines: str) -> Path:
    """Settings of an installation on that database, with a separate data folder."""
    path = folder / "headwater.yaml"
    all_lines = [f'data: "{folder}/data"', f'database: "{database}"', *lines]
    path.write_text("\n".join(all_lines) + "\n", encoding="utf-8")
    return path
