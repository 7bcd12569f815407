"""A worker killed (SIGKILL) while it compares documents with saved searches, or while it sends what met them."""

import json
import os
import signal
import smtplib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.contract.test_saved_searches import deliver, immediate, save
from tests.servers.receivers import mail_receiver
from tests.support.scene import HOUR, ME, Scene, kept_result

from headwater.model.outcomes import Sent
from headwater.model.recipe import Envelope
from headwater.model.saved_search import Digest, SearchDelivery
from headwater.sinks.mail import MailSink
from headwater.store.claims import matches as match_rows
from headwater.store.claims import outbox
from headwater.store.connect import connect
from headwater.store.schema.flow import deliveries
from headwater.store.schema.searches import digests, matches
from headwater.store.sql_store import SqlStore

TITLE = "Grain ships leave"
STORING = {
    "before its matches are written": (match_rows, "_record", False),
    "before its digest has a delivery": (match_rows, "_digest_delivery", False),
    "after its matches are written": (match_rows, "_record", True),
    "after the commit": (SqlStore, "finish_refine", True),
}
SENDING = {
    "before anything is sent": (match_rows, "close_digests", False),
    "after it was sent": ("channel", "send", True),
    "before it is noted": (outbox, "finish_deliver", False),
}
MAILING = {
    "before the letter": (smtplib.SMTP, "data", False),
    "after the server took it": (smtplib.SMTP, "data", True),
    "before it is noted": (outbox, "finish_deliver", False),
}


@dataclass
class Ledger:
    """A channel that writes down what it was sent, so that a killed process leaves it."""

    path: Path

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent]:
        with self.path.open("a", encoding="utf-8") as file:
            for envelope in envelopes:
                record = envelope.record
                entries = (
                    [entry.record_id for entry in record.entries]
                    if isinstance(record, Digest)
                    else [record.id]
                )
                file.write(json.dumps([envelope.key, sorted(entries)]) + "\n")
        return [Sent("noted")] * len(envelopes)

    def lines(self) -> list[tuple[str, tuple[str, ...]]]:
        with suppress(FileNotFoundError):
            rows = map(json.loads, self.path.read_text(encoding="utf-8").splitlines())
            return [(key, tuple(entries)) for key, entries in rows]
        return []


def kill_at(place: Any, name: str, *, afterwards: bool, work: Callable[[], object]) -> None:
    """Do the work in a child process that kills itself when it calls this function, or when that returns."""
    child = os.fork()
    if child == 0:
        function = getattr(place, name)

        def die(*arguments: Any, **options: Any) -> Any:
            if afterwards:
                function(*arguments, **options)
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(place, name, die)
        with suppress(BaseException):
            work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), f"{name} was never called"


@pytest.fixture
def searches(scene: Scene) -> Scene:
    immediate(scene)
    save(scene, "hourly", "grain", delivery=SearchDelivery.HOURLY, channel="ops")
    return scene


def own_store(scene: Scene) -> SqlStore:
    """With connections of this process."""
    return SqlStore(connect(scene.store.engine.url.render_as_string(hide_password=False)))


def test_a_kill_while_documents_are_compared_loses_no_match_and_repeats_none(searches: Scene):
    scene = searches
    for moment, (place, name, afterwards) in STORING.items():
        (draft,) = scene.drafts(moment.replace(" ", "-"))
        result = kept_result(draft, title=TITLE)
        kill_at(
            place, name, afterwards=afterwards,
            work=lambda result=result: own_store(scene).finish_refine([result], ME, scene.now, timedelta(0)),
        )  # fmt: skip
        stored = 2 if moment == "after the commit" else 0
        assert len([row for row in scene.rows(matches) if row["record_id"] == draft.id]) == stored, moment
        scene.refine(result)  # whoever takes over does it again
        assert len([row for row in scene.rows(matches) if row["record_id"] == draft.id]) == 2, moment
    assert scene.count(digests) == 1


def test_a_kill_while_matches_are_sent_loses_none_and_repeats_the_same_message(
    searches: Scene, tmp_path: Path
):
    scene, ledger = searches, Ledger(tmp_path / "sent.jsonl")
    ids = []
    for number, (place, name, afterwards) in enumerate(SENDING.values()):
        (draft,) = scene.keep(f"page-{number}", title=TITLE)
        ids.append(draft.id)
        scene.now += 2 * HOUR  # the digest of the hour is due, too

        def work() -> None:
            scene.store = own_store(scene)
            deliver(scene, ledger)

        kill_at(ledger if place == "channel" else place, name, afterwards=afterwards, work=work)
        scene.now += HOUR  # the lease of the dead worker is over
        deliver(scene, ledger, owner=f"next {number}")
    messages = set(ledger.lines())
    assert len(messages) == len({key for key, _ in messages}) == 2 * len(SENDING)
    assert sorted(entry for _, entries in messages for entry in entries) == sorted([*ids, *ids])
    assert len(ledger.lines()) > len(messages)  # some came twice, with the same key and the same entries


def test_a_kill_while_a_letter_is_sent_loses_no_match_and_a_repeated_one_can_be_told(scene: Scene):
    immediate(scene)
    first_ids = []
    with mail_receiver() as office:
        sink = MailSink(
            host="127.0.0.1", port=office.port, sender="headwater@office.example", recipients=("desk@office.example",),
            clock=lambda: scene.now, security="none",
        )  # fmt: skip
        for number, (place, name, afterwards) in enumerate(MAILING.values()):
            (draft,) = scene.keep(f"first-{number}", title=TITLE)
            first_ids.append(draft.id)

            def work() -> None:
                scene.store = own_store(scene)
                deliver(scene, sink)

            kill_at(place, name, afterwards=afterwards, work=work)
            scene.keep(f"late-{number}", title=TITLE)  # goes into the letter that is sent again
            scene.now += HOUR
            deliver(scene, sink, owner=f"next {number}")
    keys = Counter(
        key.strip("<>").partition("@")[0]
        for letter in office.letters
        for key in (letter["References"] or letter["Message-ID"]).split()
    )
    key_of = {row["record_id"]: f"{row['id']}-{row['revision']}" for row in scene.rows(deliveries)}
    assert keys == dict.fromkeys(key_of.values(), 1) | {key_of[name]: 2 for name in first_ids[1:]}
