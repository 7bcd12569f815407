"""Markers on a real server for what the rows hold: written after the commit, for a day, and never the truth."""

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
def killable_server(valkey: Valkey) -> Iterator[Valkey]:
    """A server that a test may kill; it is restarted for the next test."""
    yield valkey
    valkey.stop()
    valkey.start()


def url_marker(url: str) -> str:
    return f"app:dedupe:url:{sha256(canonical_url(url).encode()).hexdigest()}"


def read_markers(valkey: Valkey) -> dict[str, str]:
    with valkey.client() as client:
        names = sorted(name for name in client.keys("app:dedupe:*") if ":filled:" not in name)
        return dict(zip(names, client.mget(names), strict=True)) if names else {}


def lifetimes(valkey: Valkey) -> set[int]:
    with valkey.client() as client:
        return {client.ttl(name) for name in read_markers(valkey)}


def poll_from_scratch(market_run: MarketsRun) -> None:
    """Polls the sources as if for the first time."""
    with market_run.app.store.engine.begin() as connection:
        connection.execute(sources.update().values(watermark={}))
    market_run.poll_again()


def test_r51_r54_r60_stored_records_have_markers_for_a_day(internet, tmp_path, valkey):
    with markets_run(tmp_path, internet, NEWS, redis=valkey.url) as market_run:
        market_run.run()
        markers = read_markers(valkey)
        document_ids = {url_marker(row["url"]): row["document_id"] for row in market_run.rows(leads)}
        assert len(document_ids) > 1
        assert document_ids.items() <= markers.items()
        assert {f"app:dedupe:{row['sha256']}" for row in market_run.rows(captures)} <= markers.keys()
        texts = [row["value"] for row in market_run.rows(fingerprints) if row["kind"] == "text-sha256-1"]
        assert len(texts) > 1
        assert {f"app:dedupe:{value}" for value in texts} <= markers.keys()
        assert {lifetime for lifetime in lifetimes(valkey) if not DAY - 600 < lifetime <= DAY} == set()


def test_r51_a_response_has_a_marker_for_its_canonical_form(internet, tmp_path, valkey):
    with markets_run(tmp_path, internet, DETAILS, redis=valkey.url) as market_run:
        market_run.run()
        (source,) = market_run.rows(sources)
        assert read_markers(valkey)[f"app:dedupe:{source['watermark']['digest']}"] == source["id"]


def test_r60_5_2_markers_are_written_only_after_the_commit(internet, tmp_path):
    """A crash between a marker and its row would hide the article for a day."""
    reported: list[StoredFingerprint] = []
    with markets_run(tmp_path, internet, NEWS) as market_run:

        def check(recipe: str, stored: Sequence[StoredFingerprint]) -> None:
            assert confirmed_lookups(market_run.app.store.engine, stored) == list(stored)
            reported.extend(stored)

        object.__setattr__(market_run.context, "on_commit", check)
        market_run.run()
    assert {entry.kind for entry in reported} == {"url", "payload", "text"}


def test_r60_5_2_fingerprints_without_rows_have_no_marker(tmp_path, internet, valkey):
    with markets_run(tmp_path, internet, DETAILS, redis=valkey.url) as market_run:
        market_run.run()
        before = read_markers(valkey)
        (source,) = market_run.rows(sources)
        lost = [
            StoredFingerprint("url", "https://wire.example/lost", "0" * 24),
            StoredFingerprint("payload", "a" * 64, "0" * 24),
        ]
        lost += [
            StoredFingerprint("text", "b" * 64, "0" * 24),
            StoredFingerprint("digest", "c" * 64, source["id"]),
        ]
        assert market_run.app.markers is not None
        market_run.app.markers(RECIPE, lost)
        assert read_markers(valkey) == before


def test_r56_markers_of_recognised_records_are_written_again(internet, tmp_path, valkey):
    with markets_run(tmp_path, internet, NEWS, redis=valkey.url) as market_run:
        market_run.run()
        addresses = {url_marker(row["url"]) for row in market_run.rows(leads)}
        document_count = len(market_run.rows(documents))
        with valkey.client() as client:
            client.flushall()
        poll_from_scratch(market_run)
        assert addresses <= read_markers(valkey).keys()
        assert len(market_run.rows(documents)) == document_count


def test_r54_r56_markers_decide_nothing(internet, tmp_path, valkey):
    """An article that is not in the rows is stored, even when it has a marker."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    with markets_run(tmp_path / "a", internet, NEWS, redis=valkey.url) as market_run:
        market_run.run()
        document_ids = {row["id"] for row in market_run.rows(documents)}
    with markets_run(tmp_path / "b", internet, NEWS, redis=valkey.url) as market_run:
        market_run.run()
        assert {row["id"] for row in market_run.rows(documents)} == document_ids


@pytest.fixture
def local_rate_limiter(monkeypatch):
    """Keeps the rate limits off the server that is killed: nothing would be fetched before it is back."""
    shared = App.fetcher

    def without_redis(self):
        return shared(replace(self, settings=msgspec.structs.replace(self.settings, redis="")))

    monkeypatch.setattr(App, "fetcher", without_redis)


@pytest.mark.usefixtures("local_rate_limiter")
def test_r54_r56_a_server_that_is_killed_loses_nothing_and_is_filled_again(
    internet, tmp_path, killable_server
):
    with markets_run(tmp_path, internet, NEWS, redis=killable_server.url) as market_run:
        maintenance = Maintenance(market_run.app)
        assert maintenance.run_now("fill_markers") == dict.fromkeys(market_run.app.recipes, 0)
        market_run.run()
        before = read_markers(killable_server)
        killable_server.kill()
        configure_logs("console", "warning")
        with capture_logs() as logs:
            internet.dispatch("NGSC")
            poll_from_scratch(market_run)
            assert maintenance.run_now("fill_markers") == {"postponed": "redis_unavailable"}
        assert [entry["event"] for entry in logs if entry["log_level"] == "warning"] == [
            "markers cannot be written"
        ]
        assert len(market_run.rows(queue_items)) == len(market_run.rows(documents, state="kept"))
        killable_server.start()
        assert read_markers(killable_server) == {}
        filled = maintenance.run_now("fill_markers")
        after = read_markers(killable_server)
        assert filled[RECIPE] >= len(after) > len(before)
        assert before.keys() <= after.keys()
        assert {url_marker(row["url"]) for row in market_run.rows(leads)} <= after.keys()
        assert maintenance.run_now("fill_markers") == {}


def test_r54_markers_filled_from_rows_last_for_the_remainder_of_their_day(internet, tmp_path, valkey):
    with markets_run(tmp_path, internet, NEWS, redis=valkey.url) as market_run:
        market_run.run()
        with valkey.client() as client:
            client.flushall()
        market_run.clock.advance(timedelta(hours=20))
        assert fill_markers(market_run.app)[RECIPE] > 0
        assert all(0 < lifetime <= 4 * 3600 for lifetime in lifetimes(valkey))
        with valkey.client() as client:
            client.flushall()
        market_run.clock.advance(timedelta(hours=5))
        assert fill_markers(market_run.app)[RECIPE] == 0


def test_r54_a_silent_server_is_left_alone_for_a_while_and_reported_once(internet, tmp_path, valkey):
    with markets_run(tmp_path, internet, DETAILS) as market_run, fault_proxy(valkey.port) as proxy:
        market_run.run()
        (source,) = market_run.rows(sources)
        stored = [StoredFingerprint("digest", source["watermark"]["digest"], source["id"])]
        url = valkey.url.replace(f":{valkey.port}/", f":{proxy.port}/")
        time_now = [0.0]
        with closing(RedisClient(url, seconds=0.1)) as server:
            markers = DedupeMarkers(
                server,
                market_run.app.store.engine,
                market_run.clock,
                {RECIPE: "app"},
                rest=30.0,
                now=lambda: time_now[0],
            )
            markers.refill(RECIPE, canonical_url)
            assert markers.recipes_without_markers() == []
            proxy.faults.silent = True
            configure_logs("console", "warning")
            with capture_logs() as logs:
                for _ in range(5):
                    markers(RECIPE, stored)
                connection_count = proxy.connections
                time_now[0] = 31.0
                markers(RECIPE, stored)
                assert proxy.connections == 2 * connection_count
                proxy.faults.silent = False
                time_now[0] = 62.0
                markers(RECIPE, stored)
            assert markers.recipes_without_markers() == [RECIPE], (
                "the maintenance task fills in what was missed"
            )
        assert [entry["event"] for entry in logs] == [
            "markers cannot be written",
            "markers are written again",
        ]
    assert len(read_markers(valkey)) == 2


def test_without_the_setting_there_are_no_markers_and_no_maintenance_task(internet, tmp_path):
    with markets_run(tmp_path, internet, DETAILS) as market_run:
        assert market_run.app.markers is None
        assert "fill_markers" not in Maintenance(market_run.app).tasks
        assert fill_markers(market_run.app) == {}
