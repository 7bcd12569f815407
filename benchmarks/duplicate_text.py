"""What duplicates take of the stored text: `python -m benchmarks.duplicate_text`.

Runs the crypto recipe over the demo internet, whose publishers copy, abridge and correct each other,
and adds up the text of all documents and revisions by state. Limit: less than 1 %. The last line is one JSON object.
"""

import json
import sys
import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path

from sqlalchemy import Engine, func, select

from headwater.model.jobs import State
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads, revisions

LIMIT = 0.01
WAIT = timedelta(minutes=2)


def text_by_state(engine: Engine) -> Counter[str]:
    """Characters of documents and of their earlier revisions."""
    sizes: Counter[str] = Counter()
    with read_transaction(engine) as connection:
        for table in (documents, revisions):
            query = select(table.c.state, func.sum(func.length(table.c.text))).group_by(table.c.state)
            for state, size in connection.execute(query):
                sizes[state] += size or 0
    return sizes


def evidence_characters(engine: Engine) -> int:
    """What the trails of duplicates say about the length of the texts that were not stored."""
    query = select(documents.c.trail).where(documents.c.state == State.DUPLICATE)
    with read_transaction(engine) as connection:
        trails = connection.scalars(query).all()
    return sum(trail[-1]["notes"].get("characters", 0) for trail in trails if trail)


def bodies_of_sources(engine: Engine) -> int:
    with read_transaction(engine) as connection:
        return connection.scalar(select(func.sum(func.length(leads.c.body)))) or 0


def main() -> int:
    from tests.support.recipe_run import QuickClock, recipe_run  # noqa: PLC0415 - as above

    from headwater_demo.internet import running  # noqa: PLC0415 - only when it runs

    with (
        tempfile.TemporaryDirectory() as folder,
        running() as internet,
        recipe_run(Path(folder), internet, clock=QuickClock(300.0)) as run,
    ):
        run.run(WAIT)
        engine = run.app.store.engine
        sizes, omitted = text_by_state(engine), evidence_characters(engine)
        from_sources = bodies_of_sources(engine)
        counts = run.status()["documents"]
    total = sum(sizes.values())
    share = sizes[State.DUPLICATE] / total
    before = omitted / (total - sizes[State.DUPLICATE] + omitted)
    for state, size in sorted(sizes.items()):
        print(f"{state:14}{counts.get(state, 0):>8} documents {size:>12,} characters")
    print(f"not stored, because the original has it: {omitted:,} characters ({before:.1%} if they were)")
    print(f"entries of sources, from which a replay reads again: {from_sources:,} characters of markup")
    figures = {
        "benchmark": "duplicate_text",
        "duplicates": counts.get(State.DUPLICATE, 0),
        "share_of_text": round(share, 5),
        "share_if_stored": round(before, 5),
        "within": share < LIMIT,
    }
    print(json.dumps(figures))
    return 0 if share < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
