"""What an operator may do with replays: start, look, pause, go on, apply, discard."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, RowMapping, delete, select, tuple_

from headwater.model.errors import Refused
from headwater.model.keys import key
from headwater.model.replay import ReplayState, ReplayVerdict
from headwater.store.claims.leases import insert_into
from headwater.store.claims.replay import count_documents, locked_replay, report_if_done, update_replay
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.reads.catalogue import key_prefix
from headwater.store.schema.flow import documents
from headwater.store.schema.replays import replay_items, replays

AT_ONCE = 500
OPEN_STATES = (ReplayState.RUNNING, ReplayState.PAUSED, ReplayState.APPLYING)
LISTED = 100
Record = dict[str, Any]


@dataclass(frozen=True)
class Replays:
    engine: Engine

    def start(self, recipe: str, since: datetime, until: datetime, now: datetime) -> str:
        """A new replay of all documents that came between the two; gives its id. Refused while one is under way."""
        name = key("replay", recipe, since.isoformat(), until.isoformat(), now.isoformat())
        with read_transaction(self.engine) as connection:
            expected = count_documents(connection, recipe, since, until)
        values = {
            "id": name,
            "recipe": recipe,
            "since": since,
            "until": until,
            "state": ReplayState.RUNNING,
            "cursor_at": since,
            "cursor_id": "",
            "expected": expected,
            "counts": {},
            "fields": {},
            "chosen": [],
            "created_at": now,
            "updated_at": now,
        }
        with write_transaction(self.engine) as connection:
            made = insert_into(connection.dialect, replays).values(**values).on_conflict_do_nothing()
            if connection.execute(made.returning(replays.c.id)).first() is None:
                raise self._one_at_a_time(connection, recipe)
        return name

    @staticmethod
    def _one_at_a_time(connection: Connection, recipe: str) -> Refused:
        query = select(replays.c.id, replays.c.state).where(
            replays.c.recipe == recipe, replays.c.state.in_(OPEN_STATES)
        )
        row = connection.execute(query).first()
        told = f"{row.id[:12]} is {row.state}" if row else "another one was started at this moment"
        return Refused(
            "replay_under_way",
            f"a recipe has one replay at a time, and {told}; let it end, or discard it with `headwater replay discard`",
        )

    def listed(self, recipe: str | None = None) -> list[Record]:
        """The newest first."""
        query = select(replays).order_by(replays.c.created_at.desc(), replays.c.id).limit(LISTED)
        with read_transaction(self.engine) as connection:
            rows = connection.execute(query.where(replays.c.recipe == recipe) if recipe else query)
            return [_told(row) for row in rows.mappings()]

    def get(self, name: str) -> Record:
        """By id, or by 8 letters or more of it."""
        query = select(replays).where(replays.c.id.like(f"{key_prefix(name)}%")).limit(2)
        with read_transaction(self.engine) as connection:
            found = connection.execute(query).mappings().all()
        if len(found) != 1:
            raise Refused(
                "unknown_replay",
                f"{len(found) or 'no'} replays begin with '{name}'; `headwater replay list` shows their ids, "
                "of which 8 letters are enough",
            )
        return _told(found[0])

    def report(
        self, replay: str, verdicts: Sequence[ReplayVerdict], limit: int | None = None
    ) -> Iterator[Record]:
        """What differs, document by document, by verdict."""
        left = limit
        for verdict in verdicts:
            after = ("", "")
            while left is None or left > 0:
                some = AT_ONCE if left is None else min(AT_ONCE, left)
                rows = self._page(replay, verdict, after, some)
                yield from ({name: row[name] for name in row if name != "item"} for row in rows)
                left = None if left is None else left - len(rows)
                if len(rows) < some:
                    break
                after = (rows[-1]["outcome"], rows[-1]["item"])

    def _page(self, replay: str, verdict: ReplayVerdict, after: tuple[str, str], limit: int) -> list[Record]:
        names = ("document_id", "verdict", "outcome", "before", "after", "differences", "reason", "detail")
        columns = (replay_items.c.id.label("item"), *(replay_items.c[name] for name in names))
        query = (
            select(*columns, documents.c.url, documents.c.title)
            .join(documents, documents.c.id == replay_items.c.document_id)
            .where(
                replay_items.c.replay_id == replay,
                replay_items.c.verdict == verdict,
                tuple_(replay_items.c.outcome, replay_items.c.id) > tuple_(*after),
            )
            .order_by(replay_items.c.outcome, replay_items.c.id)
            .limit(limit)
        )
        with read_transaction(self.engine) as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def pause(self, replay: str, now: datetime) -> None:
        """What is being read comes to its end; nothing more is taken."""
        self._move(replay, (ReplayState.RUNNING,), ReplayState.PAUSED, now)

    def resume(self, replay: str, now: datetime) -> None:
        self._move(replay, (ReplayState.PAUSED,), ReplayState.RUNNING, now)
        with write_transaction(self.engine) as connection:
            report_if_done(connection, replay, now)

    def apply(self, replay: str, chosen: Sequence[ReplayVerdict], now: datetime) -> None:
        """From now on workers replace what has one of these verdicts. Those of an earlier call stay chosen."""
        done = (ReplayState.REPORTED, ReplayState.APPLYING, ReplayState.APPLIED)
        with write_transaction(self.engine) as connection:
            row = locked_replay(connection, replay)
            _allowed(row, done, "applied")
            self._alone(connection, row)
            both = sorted({*row["chosen"], *(one.value for one in chosen)})
            update_replay(connection, replay, state=ReplayState.APPLYING, chosen=both, updated_at=now)

    def _alone(self, connection: Connection, row: RowMapping) -> None:
        others = select(replays.c.id).where(
            replays.c.recipe == row["recipe"], replays.c.state.in_(OPEN_STATES), replays.c.id != row["id"]
        )
        if connection.execute(others).first() is not None:
            raise self._one_at_a_time(connection, row["recipe"])

    def discard(self, replay: str, now: datetime) -> int:
        """End it and forget its report; gives how many rows went. What was replaced stays replaced."""
        self._move(replay, tuple(ReplayState), ReplayState.DISCARDED, now)
        count = 0
        while True:
            with write_transaction(self.engine) as connection:
                some = select(replay_items.c.id).where(replay_items.c.replay_id == replay)
                # In the order in which workers lock them.
                ids = list(
                    connection.scalars(some.order_by(replay_items.c.id).limit(AT_ONCE).with_for_update())
                )
                connection.execute(delete(replay_items).where(replay_items.c.id.in_(ids)))
            count += len(ids)
            if len(ids) < AT_ONCE:
                return count

    def _move(self, replay: str, before: Sequence[ReplayState], state: ReplayState, now: datetime) -> None:
        with write_transaction(self.engine) as connection:
            _allowed(locked_replay(connection, replay), before, state.value)
            update_replay(connection, replay, state=state, updated_at=now)


def _allowed(row: RowMapping, before: Sequence[ReplayState], what: str) -> None:
    if row["state"] not in before:
        raise Refused(
            "not_now",
            f"replay {row['id'][:12]} is {row['state']}; only one that is {' or '.join(before)} can be {what}",
        )


def _told(row: RowMapping) -> Record:
    """With every count, also those that are nothing."""
    counts = {name: row["counts"].get(name, 0) for name in (*ReplayVerdict, "replaced", "moved_on", "stays")}
    compared = sum(counts[verdict] for verdict in ReplayVerdict)
    hidden = {"counts", "cursor_at", "cursor_id", "fields", "listed_at"}
    told = {name: value for name, value in row.items() if name not in hidden}
    fields = {
        name: dict(zip(("worse", "changed", "better"), f, strict=True)) for name, f in row["fields"].items()
    }
    whole = row["listed_at"] is not None
    return told | {"listed_all": whole, "compared": compared, **counts, "fields": fields}
