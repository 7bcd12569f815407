"""Alerts are retried, quarantined when they cannot be sent, and sent once per story and change."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from tests.flow.test_geopolitics import DemoClock, RecordingSink, configured_recipe, next_day, rows, run
from tests.support.environments import EnvironmentUnderTest
from tests.support.poll_sessions import context_for

from headwater.model.errors import Permanent, Temporary
from headwater.model.outcomes import Sent
from headwater.model.recipe import Envelope
from headwater_demo.internet import running

RULES = {"channels": ["ops", "dead"], "subjects": ["kelmar-strait"], "score": None, "growth": None}


@dataclass
class BusyAtFirst:
    """A sink that is busy at first."""

    refusals: int
    envelopes: list[Envelope] = field(default_factory=list)

    def send(self, envelopes: Sequence[Envelope]) -> list[Sent]:
        if self.refusals:
            self.refusals -= 1
            raise Temporary("receiver_busy", delay=timedelta(minutes=10))
        self.envelopes += envelopes
        return [Sent() for _ in envelopes]


class RefusingSink:
    def send(self, envelopes: Sequence[Envelope]) -> list[Sent]:
        raise Permanent("receiver_refused", f"{len(envelopes)} of them")


def test_g17_an_alert_is_retried_or_quarantined_and_delivered_once(
    tmp_path: Path, own_environment: EnvironmentUnderTest
):
    recipe, clock, ops = configured_recipe(tmp_path, alerts=RULES), DemoClock(), BusyAtFirst(refusals=1)
    with (
        running() as internet,
        context_for(tmp_path, internet.base_url, recipe, clock, own_environment) as (app, bare),
    ):
        context = replace(bare, sinks={"files": RecordingSink(), "ops": ops, "dead": RefusingSink()})
        run(context, clock)
        assert ops.envelopes == []
        clock.shift += timedelta(minutes=11)
        run(context, clock)
        by_title = {envelope.record.title: envelope for envelope in ops.envelopes}
        assert len(by_title) == len(ops.envelopes) == 2
        for envelope in by_title.values():
            assert envelope.record.attributes["alert"] == ["subject"]
            assert envelope.record.attributes["subject_title"] == "Kelmar Strait"
        quarantined = rows(app, "SELECT reason FROM quarantine WHERE task = 'deliver'")
        assert [row["reason"] for row in quarantined] == ["receiver_refused"] * 2
        next_day(internet, app, clock)
        run(context, clock)
        assert len(ops.envelopes) == 2
