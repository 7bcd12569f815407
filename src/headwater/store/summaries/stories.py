"""Summaries that came later, and scores that time has changed: put into stories that stand already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, select, update

from headwater.model.recipe import AgeStory
from headwater.store.bulk import update_rows
from headwater.store.claims.outbox import open_deliveries
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.in_list import in_list
from headwater.store.records import stories_by_id
from headwater.store.schema.flow import stories

STORIES_PER_TRANSACTION = 500


@dataclass(frozen=True)
class StoryUpdates:
    engine: Engine

    def replace_summary(
        self, story: str, content: str, answer: Mapping[str, Any], routes: Sequence[str], now: datetime
    ) -> bool:
        """Show an answer, if the story is still the one that was asked about. One story at a time: those who gather
        stories lock them in another order."""
        with write_transaction(self.engine) as connection:
            row = _locked(connection, story)
            if row is None or row.attributes.get("content") != content:
                return False
            about = {**row.attributes, **_told(answer)}
            if about == row.attributes and row.summary == answer["summary"]:
                return False
            changed = {"summary": answer["summary"], "attributes": about, "updated_at": now}
            mine = update(stories).where(stories.c.id == story)
            connection.execute(mine.values(**changed, revision=row.revision + 1))
            record = stories_by_id(connection, [story])[story]
            open_deliveries(connection, [(record, r, "story", record.revision) for r in routes], now)
            return True

    def age(self, recipe: str, age: AgeStory, now: datetime) -> int:
        """Score anew what is told now; gives how many changed. A score alone is no new revision."""
        with read_transaction(self.engine) as connection:
            live = select(stories.c.id).where(stories.c.recipe == recipe, stories.c.state == "live")
            ids = sorted(connection.scalars(live))
        return sum(
            self._age(ids[start : start + STORIES_PER_TRANSACTION], age, now)
            for start in range(0, len(ids), STORIES_PER_TRANSACTION)
        )

    def _age(self, ids: Sequence[str], age: AgeStory, now: datetime) -> int:
        """Whoever gathers a story at this moment scores it himself: it is passed over, not waited for."""
        free = select(stories.c.id).where(in_list(stories.c.id, ids), stories.c.state == "live")
        with write_transaction(self.engine) as connection:
            mine = list(connection.scalars(free.with_for_update(skip_locked=True)))
            before = stories_by_id(connection, mine)
            older = {name: age(story, now) for name, story in before.items()}
            changes = [
                (name, {"score": story.score, "attributes": dict(story.attributes)})
                for name, story in older.items()
                if story is not before[name]
            ]
            update_rows(connection, stories, changes)
        return len(changes)


def _locked(connection: Connection, story: str) -> Any:
    query = select(stories).where(in_list(stories.c.id, [story]), stories.c.state == "live")
    return connection.execute(query.with_for_update()).one_or_none()


def _told(answer: Mapping[str, Any]) -> dict[str, Any]:
    origin = dict(answer["origin"])
    return {"claims": answer["claims"], "summary_by": origin["model"], "summary_origin": origin}
