"""What an operator may do with replays: start, inspect, pause, resume, apply and discard them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Engine, RowMapping, delete, select, tuple_

from headwater.model.errors import Refused
from headwater.model.keys import key
from headwater.model.replay import ReplayState, ReplayVerdict
from headwater.store.bulk import insert_into
from headwater.store.claims.replay import count_documents, locked_replay, report_if_done, update_replay
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.reads.catalogue import begins_with
from headwater.store.rows import Record
from headwater.store.schema.flow import documents
from headwater.store.schema.replays import replay_items, replays

AT_ONCE = 500
OPEN_STATES = (ReplayState.RUNNING, ReplayState.PAUSED, ReplayState.APPLYING)
LISTED = 100


@dataclass(frozen=True)
class Replays:
    engine: Engine

    def start(self, recipe: str, since: datetime, until: datetime, now: datetime) -> str:
        """Start a replay of all documents created in a period; returns its id. Refused while another one is open."""
        replay_id = key("replay", recipe, since.isoformat(), until.isoformat(), now.isoformat())
        with read_transaction(self.engine) as connection:
            expected = count_documents(connection, recipe, since, until)
        values = {
            "id": replay_id,
            "recipe": recipe,
            "since": since,
            "until": until,
            "state": ReplayState.RUNNING,
            "cursor_at": since,
            "cursor_id": "",
            "expected_count": expected,
            "counts": {},
            "fields": {},
            "chosen_verdicts": [],
            "created_at": now,
            "updated_at": now,
        }
        with write_transaction(self.engine) as connection:
            insertion = insert_into(connection.dialect, replays).values(**values).on_conflict_do_nothing()
            if connection.execute(insertion.returning(replays.c.id)).first() is None:
                raise self._already_open(connection, recipe)
        return replay_id

    @staticmethod
    def _already_open(connection: Connection, recipe: str) -> Refused:
        query = select(replays.c.id, replays.c.state).where(
            replays.c.recipe == recipe, replays.c.state.in_(OPEN_STATES)
        )
        row = connection.execute(query).first()
        reason = f"{row.id[:12]} is {row.state}" if row else "another one was started at this moment"
        return Refused(
            "replay_under_way",
            f"a recipe has one replay at a time, and {reason}; let it end, or discard it with `headwater replay discard`",
        )

    def list_replays(self, recipe: str | None = None) -> list[Record]:
        """Newest first."""
        query = select(replays).order_by(replays.c.created_at.desc(), replays.c.id).limit(LISTED)
        with read_transaction(self.engine) as connection:
            rows = connection.execute(query.where(replays.c.recipe == recipe) if recipe else query)
            return [_replay_record(row) for row in rows.mappings()]

    def get(self, prefix: str) -> Record:
        """By id, or by at least 8 characters of it."""
        query = select(replays).where(begins_with(replays.c.id, prefix)).limit(2)
        with read_transaction(self.engine) as connection:
            rows = connection.execute(query).mappings().all()
        if len(rows) != 1:
            raise Refused(
                "unknown_replay",
                f"{len(rows) or 'no'} replays begin with '{prefix}'; `headwater replay list` shows their ids, "
                "of which 8 characters are enough",
            )
        return _replay_record(rows[0])

    def report(
        self, replay: str, verdicts: Sequence[ReplayVerdict], limit: int | None = None
    ) -> Iterator[Record]:
        """The differences, document by document, grouped by verdict."""
        remaining = limit
        for verdict in verdicts:
            after = ("", "")
            while remaining is None or remaining > 0:
                page_size = AT_ONCE if remaining is None else min(AT_ONCE, remaining)
                rows = self._page(replay, verdict, after, page_size)
                yield from ({name: row[name] for name in row if name != "item"} for row in rows)
                remaining = None if remaining is None else remaining - len(rows)
                if len(rows) < page_size:
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
        """Items that are being replayed are finished; no further item is claimed."""
        self._change_state(replay, (ReplayState.RUNNING,), ReplayState.PAUSED, now)

    def resume(self, replay: str, now: datetime) -> None:
        self._change_state(replay, (ReplayState.PAUSED,), ReplayState.RUNNING, now)
        with write_transaction(self.engine) as connection:
            report_if_done(connection, replay, now)

    def apply(self, replay: str, verdicts: Sequence[ReplayVerdict], now: datetime) -> None:
        """From now on workers replace the documents with these verdicts, in addition to those of earlier calls."""
        applicable = (ReplayState.REPORTED, ReplayState.APPLYING, ReplayState.APPLIED)
        with write_transaction(self.engine) as connection:
            row = locked_replay(connection, replay)
            _require_state(row, applicable, "applied")
            self._require_alone(connection, row)
            all_verdicts = sorted({*row["chosen_verdicts"], *(verdict.value for verdict in verdicts)})
            update_replay(
                connection, replay, state=ReplayState.APPLYING, chosen_verdicts=all_verdicts, updated_at=now
            )

    def _require_alone(self, connection: Connection, row: RowMapping) -> None:
        other_replays = select(replays.c.id).where(
            replays.c.recipe == row["recipe"], replays.c.state.in_(OPEN_STATES), replays.c.id != row["id"]
        )
        if connection.execute(other_replays).first() is not None:
            raise self._already_open(connection, row["recipe"])

    def discard(self, replay: str, now: datetime) -> int:
        """End the replay and delete its report; returns how many rows were deleted. Documents that were replaced stay
        replaced."""
        self._change_state(replay, tuple(ReplayState), ReplayState.DISCARDED, now)
        count = 0
        while True:
            with write_transaction(self.engine) as connection:
                query = select(replay_items.c.id).where(replay_items.c.replay_id == replay)
                # In the order in which workers lock them.
                ids = list(
                    connection.scalars(query.order_by(replay_items.c.id).limit(AT_ONCE).with_for_update())
                )
                connection.execute(delete(replay_items).where(replay_items.c.id.in_(ids)))
            count += len(ids)
            if len(ids) < AT_ONCE:
                return count

    def _change_state(
        self, replay: str, before: Sequence[ReplayState], state: ReplayState, now: datetime
    ) -> None:
        with write_transaction(self.engine) as connection:
            _require_state(locked_replay(connection, replay), before, state.value)
            update_replay(connection, replay, state=state, updated_at=now)


def _require_state(row: RowMapping, before: Sequence[ReplayState], action: str) -> None:
    if row["state"] not in before:
        raise Refused(
            "not_now",
            f"replay {row['id'][:12]} is {row['state']}; only one that is {' or '.join(before)} can be {action}",
        )


def _replay_record(row: RowMapping) -> Record:
    """With every count, including zeros."""
    counts = {name: row["counts"].get(name, 0) for name in (*ReplayVerdict, "replaced", "moved_on", "stays")}
    compared = sum(counts[verdict] for verdict in ReplayVerdict)
    hidden = {"counts", "cursor_at", "cursor_id", "fields", "listed_at"}
    record = {name: value for name, value in row.items() if name not in hidden}
    fields = {
        name: dict(zip(("worse", "changed", "better"), counts_by_direction, strict=True))
        for name, counts_by_direction in row["fields"].items()
    }
    is_listed = row["listed_at"] is not None
    return record | {"listed_all": is_listed, "compared": compared, **counts, "fields": fields}
