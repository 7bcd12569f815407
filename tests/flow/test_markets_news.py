"""Company and macro news through the whole engine, with keys, quotas, pages and crashes."""

import json
from datetime import timedelta
from hashlib import sha256

import pytest
from tests.support.markets_run import EVERYTHING, RECIPE, MarketsRun, markets_run
from tests.support.stored_files import read_stored_files

from headwater.engine.network import NetworkLoop
from headwater.model.jobs import Job, State, Task
from headwater.store.rows import capture_from
from headwater.store.schema.flow import captures, documents, leads, polls, sources
from headwater.store.schema.knowledge import edges, mentions
from headwater.store.schema.operations import queue_items
from headwater_demo.faults import Fault
from headwater_demo.internet import running
from headwater_demo.markets.watch_list import KEYS

HOST = "api.massive.example"
NEWS = {"name": "news", "kind": "news_api", "tickers": ["NGSC", "QZEL"], "options": EVERYTHING}
MACRO = {"name": "macro", "kind": "macro_news", "options": {"query": {"ticker.any_of": "SPY"}, **EVERYTHING}}
SECRET = "a-key-that-must-stay-secret"


@pytest.fixture
def internet():
    with running() as started:
        yield started


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


def news_of(ticker: str, **options):
    return {"name": "news", "kind": "news_api", "tickers": [ticker], "options": EVERYTHING | options}


def test_r57_an_article_about_two_companies_is_one_document_with_two_mentions(
    internet, tmp_path, own_environment
):
    with markets_run(tmp_path, internet, NEWS, environment=own_environment) as market_run:
        market_run.run()
        shared = [
            document for document in market_run.rows(documents) if len(document["attributes"]["tickers"]) == 2
        ]
        (document,) = shared
        mentioned = {row["subject_id"] for row in market_run.rows(mentions, document_id=document["id"])}
        listed = {
            subject.id
            for subject in market_run.recipe.subjects
            if subject.attributes["ticker"] in {"NGSC", "QZEL"}
        }
        assert mentioned == listed
        (edge,) = market_run.rows(edges, to_id=document["id"])
        assert edge["evidence"]["subject"] in listed
        assert len(market_run.rows(leads)) == len(market_run.rows(documents)) + 1


def test_r58_r61_articles_become_documents_and_the_poll_counts_them(internet, tmp_path, own_environment):
    with markets_run(tmp_path, internet, NEWS, environment=own_environment) as market_run:
        market_run.run()
        assert {row["state"] for row in market_run.rows(documents)} == {State.KEPT}
        poll_rows = market_run.rows(polls)
        assert {run["status"] for run in poll_rows} == {"completed"}
        assert sum(run["new_count"] for run in poll_rows) == len(market_run.rows(leads))
        document = market_run.rows(documents)[0]
        assert document["publisher"] in {"Harbour Wire", "Quay Report", "Ledger Desk"}
        assert document["quality"] > 0.65


def test_r45_r46_a_poll_is_recorded_before_its_response_arrives(internet, tmp_path):
    with markets_run(tmp_path, internet, news_of("NGSC")) as market_run:
        network = NetworkLoop(market_run.context, [Job(RECIPE, Task.POLL)])
        network._claim()
        (run,) = market_run.rows(polls)
        assert (run["status"], run["ended_at"]) == ("running", None)


def test_r18_a_poll_records_its_bytes_their_hash_its_items_and_its_response(
    internet, tmp_path, own_environment
):
    with markets_run(tmp_path, internet, news_of("NGSC"), environment=own_environment) as market_run:
        market_run.run()
        (run,) = market_run.rows(polls)
        assert (run["error"], run["http_status"], run["item_count"]) == (None, 200, 1)
        assert run["elapsed_ms"] is not None
        (row,) = market_run.rows(captures, id=run["capture_id"])
        body = market_run.app.archive.get([capture_from(row)])[row["sha256"]]
        assert sha256(body).hexdigest() == row["sha256"]
        assert [item["id"] for item in json.loads(body)["results"]] == [
            row["identity"] for row in market_run.rows(leads)
        ]


def test_r59_r63_a_fetched_article_is_due_with_everything_the_parser_needs(internet, tmp_path):
    with markets_run(tmp_path, internet, news_of("QZEL")) as market_run:
        network = NetworkLoop(market_run.context, [Job(RECIPE, task) for task in (Task.POLL, Task.FETCH)])
        while not market_run.rows(documents):
            network.step(timedelta(seconds=0.05))
        (row,) = [candidate for candidate in market_run.rows(documents) if candidate["due_at"] is not None][
            :1
        ]
        drafts = market_run.app.store.claim_documents(market_run.context.claim(Job(RECIPE, Task.REFINE)))
        draft = next(candidate for candidate in drafts if candidate.id == row["id"])
        assert draft.lead.lead.hints["attributes"]["ticker"] == "QZEL"
        assert draft.source.kind == "news_api"


def test_r52_r53_a_second_poll_finds_nothing_new_and_queues_nothing_again(
    internet, tmp_path, own_environment
):
    with markets_run(tmp_path, internet, NEWS, environment=own_environment) as market_run:
        market_run.run()
        before = [market_run.rows(table) for table in (leads, documents, queue_items, edges)]
        market_run.poll_again()
        assert [market_run.rows(table) for table in (leads, documents, queue_items, edges)] == before
        assert [run["new_count"] for run in market_run.rows(polls)][-2:] == [0, 0]


def test_r54_r55_r56_r60_the_same_address_from_another_source_is_recognised_after_any_time(
    internet, tmp_path
):
    with markets_run(tmp_path, internet, NEWS) as market_run:
        market_run.run()
        document_count = len(market_run.rows(documents))
        market_run.clock.advance(timedelta(days=30))
        with market_run.app.store.engine.begin() as connection:
            connection.execute(
                sources.update().values(watermark={})
            )  # as if the sources were read for the first time
        market_run.poll_again()
        assert len(market_run.rows(documents)) == document_count


def test_r5_late_articles_and_siblings_are_found_after_the_watermark_has_moved_on(internet, tmp_path):
    with markets_run(tmp_path, internet, news_of("NGSC")) as market_run:
        market_run.run()
        late = internet.dispatch("NGSC", late_minutes=0)
        market_run.poll_again()
        sibling = internet.dispatch("NGSC", late_minutes=45)
        market_run.poll_again()
        guids = {row["guid"] for row in market_run.rows(documents)}
        assert {late["id"], sibling["id"]} <= guids


def test_r36_r86_macro_news_names_no_company_and_goes_to_its_own_queue(internet, tmp_path, own_environment):
    with markets_run(tmp_path, internet, MACRO, news_of("QZEL"), environment=own_environment) as market_run:
        market_run.run()
        queued = {row["queue"]: row for row in market_run.rows(queue_items)}
        assert set(queued) == {"app:queue:macro_classification", "app:queue:extraction"}
        assert queued["app:queue:macro_classification"]["payload"]["ticker"] is None
        assert queued["app:queue:extraction"]["payload"]["ticker"] == "QZEL"
        kinds = {row["id"]: row["attributes"]["document_type"] for row in market_run.rows(documents)}
        for row in market_run.rows(queue_items):
            assert (kinds[row["document_id"]] == "macro_event") == row["queue"].endswith(
                "macro_classification"
            )


def test_r71_a_thin_page_is_completed_with_the_description_of_the_provider(internet, tmp_path):
    with markets_run(tmp_path, internet, news_of("NGSC")) as market_run:
        market_run.run()
        summary = (
            "Northgate Semiconductors will open a second laboratory in Oslo next spring, its chief summary."
        )
        thin = internet.dispatch("NGSC", paragraphs=["Northgate expands. " * 12], description=summary)
        market_run.poll_again()
        (row,) = [document for document in market_run.rows(documents) if document["guid"] == thin["id"]]
        assert "laboratory in Oslo" in row["text"]


def test_r76_a_page_with_hardly_any_text_is_set_aside_and_not_queued(internet, tmp_path):
    with markets_run(tmp_path, internet, news_of("NGSC")) as market_run:
        market_run.run()
        empty = internet.dispatch("NGSC", paragraphs=["Soon."], description="Soon.", keywords=[], author="")
        market_run.poll_again()
        (row,) = [document for document in market_run.rows(documents) if document["guid"] == empty["id"]]
        assert (row["state"], row["reason"]) in {(State.ASIDE, "low_quality"), (State.ASIDE, "no_text")}
        assert market_run.rows(queue_items, document_id=row["id"]) == []


def test_the_key_appears_only_in_the_request(internet, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HEADWATER_MASSIVE_KEY", SECRET)
    internet.add_key(SECRET)
    with markets_run(tmp_path, internet, news_of("NGSC", limit=1)) as market_run:
        market_run.run()
        assert {record["headers"]["authorization"] for record in market_run.requests_to(HOST)} == {
            f"Bearer {SECRET}"
        }
        assert not any(SECRET in record["path"] + record["query"] for record in internet.log())
        market_run.context.fetcher.close()
        stored_rows = json.dumps(
            [market_run.rows(table) for table in (sources, polls, captures, leads, documents)], default=str
        )
        assert SECRET not in stored_rows
        stored = b"".join(read_stored_files(tmp_path / "data").values())
        assert SECRET.encode() not in stored
        other_requests = [record for record in internet.log() if record["host"] != HOST]
        assert other_requests
        assert not any(SECRET in str(record["headers"]) for record in other_requests)
    assert SECRET not in "".join(capsys.readouterr())


def test_r47_a_revoked_key_is_a_failure_with_its_name_and_the_source_backs_off(internet, tmp_path):
    internet.revoke_key("demo-key")
    with markets_run(tmp_path, internet, news_of("NGSC")) as market_run:
        market_run.run()
        (run,) = market_run.rows(polls)
        assert (run["status"], run["error"], run["http_status"]) == ("failed", "key_refused", 401)
        assert "HEADWATER_MASSIVE_KEY" in run["detail"]
        (source,) = market_run.rows(sources)
        assert source["failures"] == 1
        assert source["due_at"] > market_run.clock() + timedelta(seconds=20)
        internet.add_key("demo-key")
        market_run.poll_again()
        (source,) = market_run.rows(sources)
        assert (source["failures"], source["stop_reason"]) == (0, None)


def test_a_plan_without_the_dataset_is_reported(internet, tmp_path):
    internet.add_key("demo-key", closed=["/v2/reference"])
    with markets_run(tmp_path, internet, news_of("NGSC")) as market_run:
        market_run.run()
        assert [run["error"] for run in market_run.rows(polls)] == ["not_entitled"]


def test_a_used_up_quota_loses_nothing_and_the_next_poll_catches_up(internet, tmp_path):
    internet.add_key("demo-key", per_minute=2)
    for _ in range(5):
        internet.dispatch("NGSC")
    with markets_run(tmp_path, internet, news_of("NGSC", limit=1)) as market_run:
        market_run.run()
        lead_count = len(market_run.rows(leads))
        assert 0 < lead_count < 6
        assert any("cut_short" in str(run["warnings"]) for run in market_run.rows(polls))
        internet.add_key("demo-key")
        market_run.clock.advance(timedelta(minutes=10))
        market_run.poll_again()
        assert len(market_run.rows(leads)) == len(market_run.rows(documents)) == 6
        assert {row["state"] for row in market_run.rows(documents)} == {State.KEPT}


@pytest.mark.parametrize(
    "fault", [Fault(status=500), Fault(truncate=40), Fault(reset=True), Fault(html=True)]
)
def test_a_broken_response_is_requested_again(internet, tmp_path, fault):
    internet.fault(HOST, "/v2/reference/news", fault)
    with markets_run(tmp_path, internet, news_of("NGSC")) as market_run:
        market_run.run()
        market_run.clock.advance(timedelta(minutes=5))
        market_run.run()
        assert len(market_run.rows(documents)) == 1
        assert market_run.rows(sources)[0]["failures"] == 0


def _poll_until_leads_are_stored(market_run: MarketsRun) -> None:
    network = NetworkLoop(market_run.context, [Job(RECIPE, Task.POLL)])
    while not market_run.rows(leads):
        network.step(timedelta(seconds=0.05))


def test_a_poll_that_a_crash_interrupted_is_completed_and_stores_no_page_twice(
    internet, tmp_path, own_environment
):
    for _ in range(4):
        internet.dispatch("NGSC")
    with markets_run(
        tmp_path, internet, news_of("NGSC", limit=1), owner="dies", environment=own_environment
    ) as first:
        _poll_until_leads_are_stored(first)
        assert first.rows(sources)[0]["watermark"] == {}  # nothing is behind the watermark that is not stored
        clock = first.clock
    clock.advance(timedelta(minutes=30))
    options = {"owner": "next", "clock": clock, "environment": own_environment}
    with markets_run(tmp_path, internet, news_of("NGSC", limit=1), **options) as second:
        second.run()
        assert len(second.rows(leads)) == len(second.rows(documents)) == 5
        assert {run["status"] for run in second.rows(polls)} == {"failed", "completed"}
        assert (
            len({row["document_id"] for row in second.rows(queue_items)})
            == len(second.rows(queue_items))
            == 5
        )
