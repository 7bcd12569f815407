"""Changes to live stories without new documents: a summary that a language model wrote, a score as of now."""

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
class StoryRows:
    engine: Engine

    def replace_summary(
        self, story: str, content: str, answer: Mapping[str, Any], routes: Sequence[str], now: datetime
    ) -> bool:
        """One story per transaction: a gather job locks stories in another order."""
        with write_transaction(self.engine) as connection:
            row = _locked_row(connection, story)
            if row is None or row.attributes.get("content") != content:
                return False
            attributes = {**row.attributes, **_summary_attributes(answer)}
            if attributes == row.attributes and row.summary == answer["summary"]:
                return False
            values = {"summary": answer["summary"], "attributes": attributes, "updated_at": now}
            statement = update(stories).where(stories.c.id == story)
            connection.execute(statement.values(**values, revision=row.revision + 1))
            record = stories_by_id(connection, [story])[story]
            open_deliveries(connection, [(record, route, "story", record.revision) for route in routes], now)
            return True

    def rescore(self, recipe: str, age: AgeStory, now: datetime) -> int:
        """Bring the scores of live stories up to date; returns how many changed. A score alone is no new revision."""
        with read_transaction(self.engine) as connection:
            live = select(stories.c.id).where(stories.c.recipe == recipe, stories.c.state == "live")
            ids = sorted(connection.scalars(live))
        return sum(
            self._rescore(ids[start : start + STORIES_PER_TRANSACTION], age, now)
            for start in range(0, len(ids), STORIES_PER_TRANSACTION)
        )

    def _rescore(self, ids: Sequence[str], age: AgeStory, now: datetime) -> int:
        """A story that a gather job holds is skipped: that job scores it."""
        live = select(stories.c.id).where(in_list(stories.c.id, ids), stories.c.state == "live")
        with write_transaction(self.engine) as connection:
            unlocked = list(connection.scalars(live.with_for_update(skip_locked=True)))
            before = stories_by_id(connection, unlocked)
            after = {name: age(story, now) for name, story in before.items()}
            changes = [
                (name, {"score": story.score, "attributes": dict(story.attributes)})
                for name, story in after.items()
                if story is not before[name]
            ]
            update_rows(connection, stories, changes)
        return len(changes)


def _locked_row(connection: Connection, story: str) -> Any:
    query = select(stories).where(in_list(stories.c.id, [story]), stories.c.state == "live")
    return connection.execute(query.with_for_update()).one_or_none()


def _summary_attributes(answer: Mapping[str, Any]) -> dict[str, Any]:
    origin = dict(answer["origin"])
    return {"claims": answer["claims"], "summary_by": origin["model"], "summary_origin": origin}
