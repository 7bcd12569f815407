"""Faults of one record: it is quarantined alone, temporary errors are retried, and every quarantined record can return."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.support.recipe_run import RECIPE, RecipeRun, recipe_run

from headwater.model.document import Document
from headwater.model.errors import Permanent, Temporary
from headwater.model.http import Request
from headwater.model.jobs import State, Task
from headwater.model.outcomes import Drop, Sent, SetAside
from headwater.model.recipe import Discovery, Envelope, LeadBatch, Outcome, PollSession, Recipe, StepContext
from headwater.model.source import Lead, Source
from headwater.store.schema.flow import captures, leads, polls, quarantine, sources
from headwater.stories.clustering.groupings import publication_day
from headwater_demo.internet import Internet, running

WIRE = ("Ledger Lane", "http://ledgerlane.example/feed")
Start = Callable[..., RecipeRun]


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as demo_internet:
        yield demo_internet


@pytest.fixture
def start(internet: Internet, tmp_path: Path) -> Iterator[Start]:
    """Starts a run with one feed and an adapted recipe."""
    with ExitStack() as stack:
        yield lambda adapt: stack.enter_context(recipe_run(tmp_path, internet, feeds=[WIRE], adapt=adapt))


@dataclass
class CustomStep:
    """A step made of one function over a document; counts its calls."""

    decide: Callable[[Document], Outcome]
    name: str = "custom"
    version: str = "1"
    batches: list[int] = field(default_factory=list)

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        self.batches.append(len(batch))
        return [self.decide(document) for document in batch]


def _with(step: object) -> Callable[[Recipe], Recipe]:
    return lambda recipe: replace(recipe, steps=(*recipe.steps, step))


def _first_title(internet: Internet) -> str:
    return min(record["title"] for record in internet.truth() if WIRE[1] in record["feeds"])


@pytest.mark.parametrize(
    ("error", "reason"),
    [(ValueError("boom"), "error:ValueError"), (Permanent("bad_table", "boom"), "bad_table")],
)
def test_a_poisoned_document_is_quarantined_alone_and_can_be_retried(
    start: Start, internet: Internet, error: Exception, reason: str
):
    poison = _first_title(internet)

    def decide(document: Document) -> Outcome:
        if document.title == poison:
            raise error
        return document

    step = CustomStep(decide)
    crypto_run = start(_with(step))
    crypto_run.run()
    total = len(crypto_run.documents())
    assert len(crypto_run.documents(State.KEPT)) == total - 1
    (quarantined,) = crypto_run.rows(quarantine)
    assert (quarantined["reason"], quarantined["detail"], quarantined["task"]) == (
        reason,
        "boom",
        Task.REFINE,
    )
    step.decide = lambda document: document
    assert crypto_run.app.operations.retry([quarantined["record_id"]], RECIPE, crypto_run.clock()) == 1
    crypto_run.run()
    assert len(crypto_run.documents(State.KEPT)) == total
    assert crypto_run.rows(quarantine) == []
    assert crypto_run.delivered() == {row["id"] for row in crypto_run.documents(State.KEPT)}


def test_a_document_that_cannot_be_stored_is_quarantined_alone(start: Start, internet: Internet):
    poison = _first_title(internet)
    unfit = CustomStep(lambda d: replace(d, language=None) if d.title == poison else d)  # type: ignore[arg-type]
    crypto_run = start(_with(unfit))
    crypto_run.run()
    (quarantined,) = crypto_run.rows(quarantine)
    assert quarantined["reason"] == "error:IntegrityError"
    assert len(crypto_run.documents(State.KEPT)) == len(crypto_run.documents()) - 1
    assert crypto_run.app.store.lease_owners() == set()


def test_a_step_that_is_busy_for_a_while_is_retried_and_nothing_is_quarantined(start: Start):
    remaining = [2]

    def decide(document: Document) -> Outcome:
        if remaining[0] > 0:
            remaining[0] -= 1
            raise Temporary("model_busy")
        return document

    step = CustomStep(decide)
    crypto_run = start(_with(step))
    crypto_run.run()
    assert {row["state"] for row in crypto_run.documents()} == {State.KEPT}
    assert crypto_run.rows(quarantine) == []
    assert step.batches[:2] == [len(crypto_run.documents())] * 2, "a batch that waits is not divided"


def test_a_step_that_stays_busy_gives_up_after_six_tries_with_its_reason(start: Start):
    def decide(document: Document) -> Outcome:
        raise Temporary("model_busy", "no answer")

    crypto_run = start(_with(CustomStep(decide)))
    crypto_run.run(horizon=timedelta(minutes=2))
    quarantined = crypto_run.rows(quarantine)
    assert len(quarantined) == len(crypto_run.documents()) > 0
    assert {(row["reason"], row["attempts"]) for row in quarantined} == {("model_busy", 6)}


def test_drops_and_set_asides_keep_their_reason_and_their_history(start: Start, internet: Internet):
    titles = sorted({r["title"] for r in internet.truth() if WIRE[1] in r["feeds"]})
    outcomes = {titles[0]: Drop("off_topic", evidence={"score": 0.1}), titles[1]: SetAside("needs_model")}
    crypto_run = start(_with(CustomStep(lambda document: outcomes.get(document.title, document))))
    crypto_run.run()
    by_title = {row["title"]: row for row in crypto_run.documents()}
    assert (by_title[titles[0]]["state"], by_title[titles[0]]["reason"]) == (State.DROPPED, "off_topic")
    assert (by_title[titles[1]]["state"], by_title[titles[1]]["reason"]) == (State.ASIDE, "needs_model")
    assert [row["reason"] for row in crypto_run.rows(quarantine)] == ["needs_model"]
    shown = crypto_run.app.catalogue.document(by_title[titles[0]]["id"])
    assert shown["trail"][-1] == {
        "step": "custom", "version": "1", "changed": [], "notes": {"ended": "off_topic", "score": 0.1},
    }  # fmt: skip


def test_a_grouping_that_fails_quarantines_the_group_and_keeps_the_documents(start: Start):
    failing = [True]

    def adapt(recipe: Recipe) -> Recipe:
        assert recipe.grouping is not None
        sound = recipe.grouping.cluster

        def cluster(documents: Sequence[Document]) -> Sequence:
            if failing[0]:
                raise ZeroDivisionError
            return sound(documents)

        return replace(recipe, grouping=replace(recipe.grouping, cluster=cluster))

    crypto_run = start(adapt)
    crypto_run.run()
    assert {row["reason"] for row in crypto_run.rows(quarantine)} == {"error:ZeroDivisionError"}
    assert crypto_run.status()["stories"] == 0
    assert crypto_run.delivered() == {row["id"] for row in crypto_run.documents(State.KEPT)} != set()
    failing[0] = False
    crypto_run.app.operations.retry(None, RECIPE, crypto_run.clock())
    crypto_run.run()
    assert crypto_run.status()["stories"] > 0
    assert crypto_run.rows(quarantine) == []


# An invalid poll is a failure of its source, never of the worker.


def _with_discover(poll_session: Callable[[Source, datetime], PollSession]) -> Callable[[Recipe], Recipe]:
    return lambda recipe: replace(recipe, discover={"feed": poll_session})


def _request_feed(source: Source) -> PollSession:
    yield Request(url=source.url, purpose="feed")
    return Discovery()


def test_a_reader_that_raises_fails_its_source(start: Start):
    def poll_session(source: Source, now: datetime) -> PollSession:
        yield Request(url=source.url, purpose="feed")
        raise KeyError("entry")

    crypto_run = start(_with_discover(poll_session))
    crypto_run.run()
    assert (crypto_run.source("Ledger Lane")["reason"], crypto_run.source("Ledger Lane")["failures"]) == (
        "error:KeyError",
        1,
    )


def test_an_address_that_cannot_be_read_fails_its_source_and_not_the_worker(start: Start):
    def poll_session(source: Source, now: datetime) -> PollSession:
        yield from _request_feed(source)
        return Discovery(leads=(Lead(identity="x", url="http://[not-an-address/"),), watermark={"x": 1})

    crypto_run = start(_with_discover(poll_session))
    crypto_run.run()
    row = crypto_run.source("Ledger Lane")
    assert row["reason"] is None or row["failures"] == 1
    assert crypto_run.app.store.lease_owners() == set()


def test_leads_found_during_a_poll_are_stored_at_once_with_their_capture(start: Start):
    def poll_session(source: Source, now: datetime) -> PollSession:
        yield Request(url=source.url, purpose="feed")
        yield LeadBatch((_lead("a"),))
        yield LeadBatch((_lead("b"),))
        raise Temporary("quota", "come back tomorrow")

    def _lead(name: str) -> Lead:
        return Lead(identity=name, url=f"http://ledgerlane.example/{name}", body=f"Words of {name}. " * 50)

    crypto_run = start(_with_discover(poll_session))
    crypto_run.run()
    (feed,) = crypto_run.rows(captures)
    assert {row["identity"]: row["capture_id"] for row in crypto_run.rows(leads)} == {
        "a": feed["id"],
        "b": feed["id"],
    }
    assert len(crypto_run.documents(State.KEPT)) == 2
    (run,) = crypto_run.rows(polls)
    assert (run["status"], run["error"], run["item_count"], run["new_count"]) == ("failed", "quota", 2, 2)


def test_a_full_disk_does_not_count_as_a_failure_of_the_source(start: Start, monkeypatch: pytest.MonkeyPatch):
    def poll_session(source: Source, now: datetime) -> PollSession:
        yield Request(url=source.url, purpose="feed")
        yield LeadBatch((Lead(identity="a", url="http://ledgerlane.example/a"),))
        return Discovery()

    crypto_run = start(_with_discover(poll_session))
    original_put, calls = type(crypto_run.app.archive).put, []

    def full_once(archive: object, bodies: Sequence) -> Sequence:
        calls.append(bodies)
        if len(calls) == 1:
            raise Temporary("disk_full")
        return original_put(archive, bodies)

    monkeypatch.setattr(type(crypto_run.app.archive), "put", full_once)
    crypto_run.run()
    (row,) = crypto_run.rows(sources)
    assert (row["reason"], row["failures"]) == ("disk_full", 0)
    assert row["due_at"] is not None


def test_an_unknown_kind_of_source_is_reported(start: Start):
    crypto_run = start(lambda recipe: replace(recipe, discover={}))
    crypto_run.run()
    assert crypto_run.source("Ledger Lane")["reason"] == "unknown_kind"


# A record that kills its worker again and again is quarantined; its neighbours are not.


class Crash(BaseException):
    """The end of a process, as far as a test can survive it."""


def _run_and_crash(crypto_run: RecipeRun) -> None:
    """Runs; whenever the worker dies, its leases expire and another worker takes over."""
    for _ in range(30):
        try:
            return crypto_run.run()
        except Crash:
            crypto_run.clock.advance(crypto_run.context.retry_policy.lease)
    raise AssertionError("it never came to an end")


def test_a_document_that_kills_its_worker_is_quarantined_and_the_others_are_kept(
    start: Start, internet: Internet
):
    poison = _first_title(internet)

    def decide(document: Document) -> Outcome:
        if document.title == poison:
            raise Crash
        return document

    crypto_run = start(_with(CustomStep(decide)))
    _run_and_crash(crypto_run)
    assert [row["reason"] for row in crypto_run.rows(quarantine)] == ["worker_died"]
    assert len(crypto_run.documents(State.KEPT)) == len(crypto_run.documents()) - 1


def test_a_group_that_kills_its_worker_is_quarantined_and_the_others_are_gathered(
    start: Start, internet: Internet
):
    days = sorted({r["published"][:10] for r in internet.truth() if WIRE[1] in r["feeds"]})
    assert len(days) > 1

    def adapt(recipe: Recipe) -> Recipe:
        assert recipe.grouping is not None
        sound = recipe.grouping.cluster

        def cluster(documents: Sequence[Document]) -> Sequence:
            if documents[0].published.date().isoformat() == days[0]:
                raise Crash
            return sound(documents)

        return replace(recipe, grouping=replace(recipe.grouping, key=publication_day, cluster=cluster))

    crypto_run = start(adapt)
    _run_and_crash(crypto_run)
    assert [(row["task"], row["reason"]) for row in crypto_run.rows(quarantine)] == [
        (Task.GATHER, "worker_died")
    ]
    assert crypto_run.status()["stories"] > 0


def test_a_delivery_that_kills_its_worker_is_quarantined_and_the_others_arrive(
    start: Start, internet: Internet
):
    poison = _first_title(internet)
    crypto_run = start(lambda recipe: recipe)
    files = crypto_run.app.sinks["files"]

    @dataclass(frozen=True)
    class Fragile:
        def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | Drop]:
            if any(envelope.record.title == poison for envelope in envelopes):
                raise Crash
            return files.send(envelopes)

    crypto_run.context = replace(crypto_run.context, sinks={"files": Fragile()})
    _run_and_crash(crypto_run)
    assert [(row["task"], row["reason"]) for row in crypto_run.rows(quarantine)] == [
        (Task.DELIVER, "worker_died")
    ]
    assert len(crypto_run.delivered()) == len(crypto_run.documents(State.KEPT)) - 1
