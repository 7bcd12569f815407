"""A process that starts while our own network is down: a gateway refuses every connection, and no source is blamed."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from tests.servers.loopback import free_port
from tests.support.recipe_run import QuickClock, recipe_run

from headwater.store.schema.flow import polls, sources
from headwater_demo.internet import running
from headwater_demo.sites.walled_sites import walled_feeds

HOURS = timedelta(hours=3)


def test_sources_that_answered_an_earlier_process_are_not_blamed_and_new_ones_are(tmp_path: Path):
    clock = QuickClock(100.0)
    with running() as internet:
        with recipe_run(tmp_path, internet, feeds=walled_feeds()[:3], clock=clock) as before:
            before.run(timedelta(0))
        clock.advance(HOURS)
        down = replace(internet, base_url=f"http://127.0.0.1:{free_port()}")
        with recipe_run(tmp_path, down, feeds=walled_feeds()[:4], clock=clock) as during:
            during.run(timedelta(0))
            rows = {row["name"]: row for row in during.rows(sources)}
            poll_count = len(during.rows(polls))
        *familiar_rows, new_row = (rows[name] for name, _ in walled_feeds()[:4])
        assert {(row["failures"], row["reason"]) for row in familiar_rows} == {(0, "offline")}
        assert (new_row["failures"], new_row["reason"]) == (1, "refused")
        assert poll_count == 4
