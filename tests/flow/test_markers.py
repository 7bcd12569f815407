"""Marks on a real server for what the rows hold: after the commit, for a day, and never the truth."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import msgspec
import pytest
from structlog.testing import capture_logs
from tests.servers.fault_proxy import fault_proxy
from tests.servers.valkey import Valkey
from tests.support.markets_run import EVERYTHING, RECIPE, MarketsRun, markets_run

from headwater.app import App
from headwater.logs import configure_logs
from headwater.model.stored_fingerprint import StoredFingerprint
from headwater.redis_client import RedisClient
from headwater.runtime.maintenance import Maintenance, fill_markers
from headwater.store.redis.marker_rows import confirmed_lookups
from headwater.store.redis.markers import DedupeMarkers
from headwater.store.schema.flow import captures, documents, leads, sources
from headwater.store.schema.knowledge import fingerprints
from headwater.store.schema.operations import queue_items
from headwater.text.urls import canonical_url
from headwater_demo.internet import running
from headwater_demo.markets.watch_list import KEYS

DAY = 86_400
NEWS = {"name": "news", "kind": "news_api", "tickers": ["NGSC", "QZEL"], "options": EVERYTHING}
DETAILS = {"name": "details", "kind": "market_api", "tickers": ["NGSC"], "options": {"dataset": "details"}}


@pytest.fixture
def internet():
    with running() as started:
        yield started


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def killable(valkey: Valkey) -> Iterator[Valkey]:
    """It runs again for the next test, whatever this one did to it."""
    yield valkey
    valkey.stop()
    valkey.start()


def address_mark(url: str) -> str:
    return f"app:dedupe:url:{sha256(canonical_url(url).encode()).hexdigest()}"


def marks(valkey: Valkey) -> dict[str, str]:
    with valkey.client() as client:
        names = sorted(name for name in client.keys("app:dedupe:*") if ":filled:" not in name)
        return dict(zip(names, client.mget(names), strict=True)) if names else {}


def lives(valkey: Valkey) -> set[int]:
    with valkey.client() as client:
        return {client.ttl(name) for name in marks(valkey)}


def read_anew(made: MarketsRun) -> None:
    """As if the sources were looked at for the first time."""
    with made.app.store.engine.begin() as connection:
        connection.execute(sources.update().values(watermark={}))
    made.poll_again()


def test_r51_r54_r60_what_was_stored_is_marked_for_a_day(internet, tmp_path, valkey):
    with markets_run(tmp_path, internet, NEWS, redis=valkey.url) as made:
        made.run()
        found = marks(valkey)
        named = {address_mark(row["url"]): row["document_id"] for row in made.rows(leads)}
        assert len(named) > 1
        assert named.items() <= found.items()
        assert {f"app:dedupe:{row['sha256']}" for row in made.rows(captures)} <= found.keys()
        texts = [row["value"] for row in made.rows(fingerprints) if row["kind"] == "text-sha256-1"]
        assert len(texts) > 1
        assert {f"app:dedupe:{value}" for value in texts} <= found.keys()
        assert {life for life in lives(valkey) if not DAY - 600 < life <= DAY} == set()


def test_r51_an_answer_is_marked_in_its_canonical_form_too(internet, tmp_path, valkey):
    with markets_run(tmp_path, internet, DETAILS, redis=valkey.url) as made:
        made.run()
        (source,) = made.rows(sources)
        assert marks(valkey)[f"app:dedupe:{source['watermark']['digest']}"] == source["id"]


def test_r60_5_2_nothing_is_told_before_it_is_committed(internet, tmp_path):
    """A crash between a mark and its row would hide the article for a day."""
    told: list[StoredFingerprint] = []
    with markets_run(tmp_path, internet, NEWS) as made:

        def check(recipe: str, seen: Sequence[StoredFingerprint]) -> None:
            assert confirmed_lookups(made.app.store.engine, seen) == list(seen)
            told.extend(seen)

        object.__setattr__(made.context, "on_commit", check)
        made.run()
    assert {one.kind for one in told} == {"url", "payload", "text"}


def test_r60_5_2_what_the_rows_do_not_bear_out_is_not_marked(tmp_path, internet, valkey):
    with markets_run(tmp_path, internet, DETAILS, redis=valkey.url) as made:
        made.run()
        before = marks(valkey)
        (source,) = made.rows(sources)
        lost = [
            StoredFingerprint("url", "https://wire.example/lost", "0" * 24),
            StoredFingerprint("payload", "a" * 64, "0" * 24),
        ]
        lost += [
            StoredFingerprint("text", "b" * 64, "0" * 24),
            StoredFingerprint("digest", "c" * 64, source["id"]),
        ]
        assert made.app.markers is not None
        made.app.markers(RECIPE, lost)
        assert marks(valkey) == before


def test_r56_what_the_rows_recognise_is_marked_again(internet, tmp_path, valkey):
    with markets_run(tmp_path, internet, NEWS, redis=valkey.url) as made:
        made.run()
        addresses = {address_mark(row["url"]) for row in made.rows(leads)}
        known = len(made.rows(documents))
        with valkey.client() as client:
            client.flushall()
        read_anew(made)
        assert addresses <= marks(valkey).keys()
        assert len(made.rows(documents)) == known


def test_r54_r56_marks_decide_nothing(internet, tmp_path, valkey):
    """Whatever stands there, an article that is not in the rows is taken."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    with markets_run(tmp_path / "a", internet, NEWS, redis=valkey.url) as made:
        made.run()
        known = {row["id"] for row in made.rows(documents)}
    with markets_run(tmp_path / "b", internet, NEWS, redis=valkey.url) as made:
        made.run()
        assert {row["id"] for row in made.rows(documents)} == known


@pytest.fixture
def governed_here(monkeypatch):
    """Limits are not asked of the server that goes away: nothing would be fetched before it is back."""
    shared = App.fetcher

    def alone(self):
        return shared(replace(self, settings=msgspec.structs.replace(self.settings, redis="")))

    monkeypatch.setattr(App, "fetcher", alone)


@pytest.mark.usefixtures("governed_here")
def test_r54_r56_a_server_that_is_killed_loses_nothing_and_is_filled_again(internet, tmp_path, killable):
    with markets_run(tmp_path, internet, NEWS, redis=killable.url) as made:
        maintenance = Maintenance(made.app)
        assert maintenance.run_now("fill_markers") == dict.fromkeys(made.app.recipes, 0)
        made.run()
        before = marks(killable)
        killable.kill()
        configure_logs("console", "warning")
        with capture_logs() as logs:
            internet.dispatch("NGSC")
            read_anew(made)
            assert maintenance.run_now("fill_markers") == {"postponed": "redis_unavailable"}
        assert [one["event"] for one in logs if one["log_level"] == "warning"] == [
            "markers cannot be written"
        ]
        assert len(made.rows(queue_items)) == len(made.rows(documents, state="kept"))
        killable.start()
        assert marks(killable) == {}
        filled = maintenance.run_now("fill_markers")
        after = marks(killable)
        assert filled[RECIPE] >= len(after) > len(before)
        assert before.keys() <= after.keys()
        assert {address_mark(row["url"]) for row in made.rows(leads)} <= after.keys()
        assert maintenance.run_now("fill_markers") == {}


def test_r54_marks_from_rows_last_for_what_is_left_of_their_day(internet, tmp_path, valkey):
    with markets_run(tmp_path, internet, NEWS, redis=valkey.url) as made:
        made.run()
        with valkey.client() as client:
            client.flushall()
        made.clock.advance(timedelta(hours=20))
        assert fill_markers(made.app)[RECIPE] > 0
        assert all(0 < life <= 4 * 3600 for life in lives(valkey))
        with valkey.client() as client:
            client.flushall()
        made.clock.advance(timedelta(hours=5))
        assert fill_markers(made.app)[RECIPE] == 0


def test_r54_a_silent_server_is_left_alone_for_a_while_and_told_of_once(internet, tmp_path, valkey):
    with markets_run(tmp_path, internet, DETAILS) as made, fault_proxy(valkey.port) as proxy:
        made.run()
        (source,) = made.rows(sources)
        seen = [StoredFingerprint("digest", source["watermark"]["digest"], source["id"])]
        url = valkey.url.replace(f":{valkey.port}/", f":{proxy.port}/")
        watch = [0.0]
        with closing(RedisClient(url, seconds=0.1)) as server:
            markers = DedupeMarkers(
                server, made.app.store.engine, made.clock, {RECIPE: "app"}, rest=30.0, now=lambda: watch[0]
            )
            markers.refill(RECIPE, canonical_url)
            assert markers.missing() == []
            proxy.faults.silent = True
            configure_logs("console", "warning")
            with capture_logs() as logs:
                for _ in range(5):
                    markers(RECIPE, seen)
                asked = proxy.connections
                watch[0] = 31.0
                markers(RECIPE, seen)
                assert proxy.connections == 2 * asked
                proxy.faults.silent = False
                watch[0] = 62.0
                markers(RECIPE, seen)
            assert markers.missing() == [RECIPE], "what was missed meanwhile is made by the chore"
        assert [one["event"] for one in logs] == ["markers cannot be written", "markers are written again"]
    assert len(marks(valkey)) == 2


def test_without_the_setting_nothing_is_marked_and_no_chore_is_there(internet, tmp_path):
    with markets_run(tmp_path, internet, DETAILS) as made:
        assert made.app.markers is None
        assert "fill_markers" not in Maintenance(made.app).tasks
        assert fill_markers(made.app) == {}
