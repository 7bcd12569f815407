"""Filings, market data, a watched page and the broker's account through the whole engine."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.support.markets_run import EVERYTHING, markets_run

from headwater.model.jobs import State
from headwater.store.schema.flow import captures, documents, leads, polls, sources
from headwater.store.schema.knowledge import bars, observations
from headwater.store.schema.operations import queue_items
from headwater_demo.faults import Fault
from headwater_demo.internet import running
from headwater_demo.markets.watch_list import KEYS
from headwater_demo.markets.wire_pages import INVESTORS

PROVIDER, SEARCH, BROKER = "api.massive.example", "efts.sec.example", "broker.example"
FILINGS = {
    "name": "filings",
    "kind": "filings_api",
    "tickers": ["NGSC", "QZEL"],
    "options": {"releases": True, **EVERYTHING},
}


def prices(dataset: str, ticker: str | None = "NGSC", **options):
    line = {"name": dataset, "kind": "market_api", "options": {"dataset": dataset, **options}}
    return line | ({"tickers": [ticker]} if ticker else {})


@pytest.fixture(scope="module")
def internet():
    with running() as started:
        yield started


@pytest.fixture(autouse=True)
def _reset_internet(internet, monkeypatch):
    internet.clear_log()
    internet.clear_faults()
    internet.add_key("demo-key")
    internet.limit_regulator(None)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


def test_r8_r9_r10_filings_are_read_from_their_primary_documents_with_tables(internet, tmp_path):
    with markets_run(tmp_path, internet, FILINGS) as market_run:
        market_run.run()
        kept_rows = market_run.rows(documents, state=State.KEPT)
        filing_parts = {(row["attributes"]["accession"], row["attributes"]["part"]) for row in kept_rows}
        assert len(filing_parts) == len(kept_rows) == 5  # an 8-K with its press release each, and one 10-Q
        assert {part for _, part in filing_parts} == {"8-K", "EX-99.1", "10-Q"}
        for row in kept_rows:
            assert "| Net sales |" in row["text"]
            assert row["attributes"]["index_url"].endswith(f"{row['attributes']['accession']}-index.htm")
            assert "sec.example/Archives/edgar/data/19999" in row["url"]
        file_names = {
            record["path"].rpartition("/")[2] for record in market_run.requests_to("www.sec.example")
        }
        assert not any(name.endswith((".xml", ".jpg", ".xsd")) for name in file_names)


def test_r7_every_request_to_the_sec_names_its_sender(internet, tmp_path):
    with markets_run(tmp_path, internet, FILINGS) as market_run:
        market_run.run()
        assert all(
            "test@headwater.example" in r["headers"]["user-agent"] for r in market_run.requests_to(SEARCH)
        )
    internet.clear_log()
    with markets_run(tmp_path / "silent", internet, FILINGS, contact="") as market_run:
        market_run.folder.mkdir()
        market_run.run()
        assert market_run.requests_to(SEARCH) == []
        assert {run["error"] for run in market_run.rows(polls)} == {"undeclared_agent"}


def test_a_source_refused_for_its_request_rate_waits_and_recovers(internet, tmp_path):
    internet.limit_regulator(0)
    with markets_run(tmp_path, internet, FILINGS) as market_run:
        market_run.run()
        assert {run["error"] for run in market_run.rows(polls)} == {"http_403"}
        assert min(row["due_at"] for row in market_run.rows(sources)) > market_run.clock() + timedelta(
            minutes=5
        )
        internet.limit_regulator(None)
        market_run.clock.advance(timedelta(minutes=11))
        market_run.run()
        assert len(market_run.rows(documents, state=State.KEPT)) == 5


def test_a_second_poll_of_filings_adds_nothing(internet, tmp_path):
    with markets_run(tmp_path, internet, FILINGS) as market_run:
        market_run.run()
        before = market_run.rows(leads), market_run.rows(documents)
        market_run.poll_again()
        assert (market_run.rows(leads), market_run.rows(documents)) == before


def test_r11_r14_r16_bars_of_every_dataset_meet_in_one_table_without_duplicate_days(internet, tmp_path):
    days = {"from": "2026-11-09", "to": "2026-11-12"}
    lines = [prices("previous"), prices("range", **days), prices("grouped", None, **days), prices("hourly")]
    with markets_run(tmp_path, internet, *lines) as market_run:
        market_run.run()
        daily = [row for row in market_run.rows(bars, span="1day") if row["symbol"] == "NGSC"]
        # The 11th was a holiday.
        assert sorted(row["at"].day for row in daily) == [9, 10, 12]
        assert len({row["symbol"] for row in market_run.rows(bars, span="1day")}) == 50
        hours = market_run.rows(bars, span="1hour")
        assert {row["at"].hour for row in hours} == set(range(14, 21))
        assert all(row["capture_id"] in {c["id"] for c in market_run.rows(captures)} for row in hours)
        assert market_run.rows(documents) == market_run.rows(leads) == market_run.rows(queue_items) == []
        assert {run["status"] for run in market_run.rows(polls)} == {"completed"}


def test_r15_ticker_details_are_stored_as_received(internet, tmp_path):
    with markets_run(tmp_path, internet, prices("details")) as market_run:
        market_run.run()
        market_run.poll_again()
        (row,) = market_run.rows(observations)
        assert (row["kind"], row["name"], row["value"]["cik"]) == ("ticker_details", "NGSC", "0001999901")


def test_a_holiday_is_a_success(internet, tmp_path):
    with markets_run(
        tmp_path, internet, prices("grouped", None, **{"from": "2026-11-11", "to": "2026-11-11"})
    ) as market_run:
        market_run.run()
        assert [(run["status"], run["item_count"]) for run in market_run.rows(polls)] == [("completed", 0)]
        market_run.poll_again()
        assert len(market_run.requests_to(PROVIDER)) == 1  # a day that was read is not asked for again


def test_a_failed_poll_stores_nothing_and_the_next_one_catches_up(internet, tmp_path):
    internet.fault(PROVIDER, "/v2/aggs/ticker/NGSC/prev", Fault(status=401))
    with markets_run(tmp_path, internet, prices("previous")) as market_run:
        market_run.run()
        assert market_run.rows(bars) == []
        assert market_run.rows(sources)[0]["failures"] == 1
        market_run.poll_again()
        assert len(market_run.rows(bars)) == 1
        assert market_run.rows(sources)[0]["failures"] == 0


def test_r19_the_account_is_only_read(internet, tmp_path):
    with markets_run(tmp_path, internet, {"name": "account", "kind": "broker"}) as market_run:
        market_run.run()
        market_run.poll_again()
        observed = {(row["kind"], row["name"]) for row in market_run.rows(observations)}
        assert {kind for kind, _ in observed} == {"account", "position", "order", "clock"}
        assert len(market_run.rows(observations)) == 4
        assert {record["method"] for record in market_run.requests_to(BROKER)} == {"GET"}
        (order,) = market_run.rows(observations, kind="order")
        assert order["at"] == datetime(2026, 11, 12, 15, 2, 12, 987654, UTC)
        assert market_run.rows(documents) == []


def test_a_key_that_the_broker_rejects_is_reported(internet, tmp_path, monkeypatch):
    monkeypatch.setenv("HEADWATER_BROKER_SECRET", "wrong")
    with markets_run(tmp_path, internet, {"name": "account", "kind": "broker"}) as market_run:
        market_run.run()
        (run,) = market_run.rows(polls)
        assert run["error"] == "key_refused"
        assert "wrong" not in run["detail"]


def test_without_keys_every_source_waits_and_nothing_is_requested(internet, tmp_path, monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name)
    with markets_run(
        tmp_path, internet, prices("previous"), {"name": "account", "kind": "broker"}
    ) as market_run:
        market_run.run()
        assert internet.log() == []
        assert {run["error"] for run in market_run.rows(polls)} == {"key_missing"}
        assert {row["failures"] for row in market_run.rows(sources)} == {0}


def test_r20_a_watched_page_becomes_a_revision_when_its_part_changes(tmp_path):
    page = {
        "name": "page", "kind": "web_scrape", "tickers": ["NGSC"], "url": f"https://{INVESTORS}/", "options": {"selector": "#news"},
    }  # fmt: skip
    with running() as internet, markets_run(tmp_path, internet, page) as market_run:
        market_run.run()
        (first,) = market_run.rows(documents)
        assert (first["state"], first["revision"]) == (State.KEPT, 1)
        internet.advance(timedelta(days=1))
        market_run.poll_again()
        internet.advance(timedelta(days=1))
        market_run.poll_again()
        (last,) = market_run.rows(documents)
        assert (last["id"], last["revision"]) == (first["id"], 2)
        assert last["text"] != first["text"]
        assert {row["payload"]["ticker"] for row in market_run.rows(queue_items)} == {"NGSC"}
