"""Company and macro news through the whole engine, with keys, quotas, pages and crashes."""

import json
from datetime import timedelta
from hashlib import sha256

import pytest
from tests.support.markets_run import EVERYTHING, RECIPE, MarketsRun, markets_run

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
SECRET = "a-key-nobody-may-see"


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
    with markets_run(tmp_path, internet, NEWS, environment=own_environment) as made:
        made.run()
        shared = [one for one in made.rows(documents) if len(one["attributes"]["tickers"]) == 2]
        (document,) = shared
        named = {row["subject_id"] for row in made.rows(mentions, document_id=document["id"])}
        listed = {
            subject.id for subject in made.recipe.subjects if subject.attributes["ticker"] in {"NGSC", "QZEL"}
        }
        assert named == listed
        (edge,) = made.rows(edges, to_id=document["id"])
        assert edge["evidence"]["subject"] in listed
        assert len(made.rows(leads)) == len(made.rows(documents)) + 1


def test_r58_r61_articles_become_documents_and_the_run_says_how_many(internet, tmp_path, own_environment):
    with markets_run(tmp_path, internet, NEWS, environment=own_environment) as made:
        made.run()
        assert {row["state"] for row in made.rows(documents)} == {State.KEPT}
        looks = made.rows(polls)
        assert {run["status"] for run in looks} == {"completed"}
        assert sum(run["new_count"] for run in looks) == len(made.rows(leads))
        document = made.rows(documents)[0]
        assert document["publisher"] in {"Harbour Wire", "Quay Report", "Ledger Desk"}
        assert document["quality"] > 0.65


def test_r45_r46_a_run_is_on_record_before_the_answer_is_there(internet, tmp_path):
    with markets_run(tmp_path, internet, news_of("NGSC")) as made:
        network = NetworkLoop(made.context, [Job(RECIPE, Task.POLL)])
        network._claim()
        (run,) = made.rows(polls)
        assert (run["status"], run["ended_at"]) == ("running", None)


def test_r18_a_look_tells_its_bytes_their_hash_its_items_and_how_the_answer_came(
    internet, tmp_path, own_environment
):
    with markets_run(tmp_path, internet, news_of("NGSC"), environment=own_environment) as made:
        made.run()
        (run,) = made.rows(polls)
        assert (run["error"], run["http_status"], run["found_count"]) == (None, 200, 1)
        assert run["elapsed_ms"] is not None
        (row,) = made.rows(captures, id=run["capture_id"])
        body = made.app.archive.get([capture_from(row)])[row["sha256"]]
        assert sha256(body).hexdigest() == row["sha256"]
        assert [one["id"] for one in json.loads(body)["results"]] == [
            row["identity"] for row in made.rows(leads)
        ]


def test_r59_r63_what_was_fetched_is_due_to_be_parsed_with_all_that_the_parser_needs(internet, tmp_path):
    with markets_run(tmp_path, internet, news_of("QZEL")) as made:
        network = NetworkLoop(made.context, [Job(RECIPE, task) for task in (Task.POLL, Task.FETCH)])
        while not made.rows(documents):
            network.step(timedelta(seconds=0.05))
        (row,) = [one for one in made.rows(documents) if one["due_at"] is not None][:1]
        drafts = made.app.store.claim_documents(made.context.claim(Job(RECIPE, Task.REFINE)))
        draft = next(one for one in drafts if one.id == row["id"])
        assert draft.lead.lead.hints["attributes"]["ticker"] == "QZEL"
        assert draft.source.kind == "news_api"


def test_r52_r53_a_second_look_finds_nothing_new_and_queues_nothing_again(
    internet, tmp_path, own_environment
):
    with markets_run(tmp_path, internet, NEWS, environment=own_environment) as made:
        made.run()
        before = [made.rows(table) for table in (leads, documents, queue_items, edges)]
        made.poll_again()
        assert [made.rows(table) for table in (leads, documents, queue_items, edges)] == before
        assert [run["new_count"] for run in made.rows(polls)][-2:] == [0, 0]


def test_r54_r55_r56_r60_the_same_address_from_another_source_is_recognised_after_any_time(
    internet, tmp_path
):
    with markets_run(tmp_path, internet, NEWS) as made:
        made.run()
        known = len(made.rows(documents))
        made.clock.advance(timedelta(days=30))
        with made.app.store.engine.begin() as connection:
            connection.execute(
                sources.update().values(watermark={})
            )  # as if the sources were read for the first time
        made.poll_again()
        assert len(made.rows(documents)) == known


def test_r5_late_articles_and_siblings_are_found_after_the_watermark_has_moved_on(internet, tmp_path):
    with markets_run(tmp_path, internet, news_of("NGSC")) as made:
        made.run()
        late = internet.dispatch("NGSC", late_minutes=0)
        made.poll_again()
        sibling = internet.dispatch("NGSC", late_minutes=45)
        made.poll_again()
        found = {row["guid"] for row in made.rows(documents)}
        assert {late["id"], sibling["id"]} <= found


def test_r36_r86_macro_news_is_about_nobody_and_goes_to_its_own_queue(internet, tmp_path, own_environment):
    with markets_run(tmp_path, internet, MACRO, news_of("QZEL"), environment=own_environment) as made:
        made.run()
        queued = {row["queue"]: row for row in made.rows(queue_items)}
        assert set(queued) == {"app:queue:macro_classification", "app:queue:extraction"}
        assert queued["app:queue:macro_classification"]["payload"]["ticker"] is None
        assert queued["app:queue:extraction"]["payload"]["ticker"] == "QZEL"
        kinds = {row["id"]: row["attributes"]["document_type"] for row in made.rows(documents)}
        for row in made.rows(queue_items):
            assert (kinds[row["document_id"]] == "macro_event") == row["queue"].endswith(
                "macro_classification"
            )


def test_r71_a_thin_page_is_filled_from_what_the_provider_said(internet, tmp_path):
    with markets_run(tmp_path, internet, news_of("NGSC")) as made:
        made.run()
        said = "Northgate Semiconductors will open a second laboratory in Oslo next spring, its chief said."
        thin = internet.dispatch("NGSC", paragraphs=["Northgate expands. " * 12], description=said)
        made.poll_again()
        (row,) = [one for one in made.rows(documents) if one["guid"] == thin["id"]]
        assert "laboratory in Oslo" in row["text"]


def test_r76_a_page_with_hardly_a_word_is_set_aside_and_not_queued(internet, tmp_path):
    with markets_run(tmp_path, internet, news_of("NGSC")) as made:
        made.run()
        empty = internet.dispatch("NGSC", paragraphs=["Soon."], description="Soon.", keywords=[], author="")
        made.poll_again()
        (row,) = [one for one in made.rows(documents) if one["guid"] == empty["id"]]
        assert (row["state"], row["reason"]) in {(State.ASIDE, "low_quality"), (State.ASIDE, "no_text")}
        assert made.rows(queue_items, document_id=row["id"]) == []


def test_the_key_is_nowhere_but_in_the_request(internet, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HEADWATER_MASSIVE_KEY", SECRET)
    internet.add_key(SECRET)
    with markets_run(tmp_path, internet, news_of("NGSC", limit=1)) as made:
        made.run()
        assert {record["headers"]["authorization"] for record in made.requests_to(HOST)} == {
            f"Bearer {SECRET}"
        }
        assert not any(SECRET in record["path"] + record["query"] for record in internet.log())
        made.context.fetcher.close()
        told = json.dumps(
            [made.rows(table) for table in (sources, polls, captures, leads, documents)], default=str
        )
        assert SECRET not in told
        stored = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
        assert SECRET.encode() not in stored
        others = [record for record in internet.log() if record["host"] != HOST]
        assert others
        assert not any(SECRET in str(record["headers"]) for record in others)
    assert SECRET not in "".join(capsys.readouterr())


def test_r47_a_revoked_key_is_a_failure_with_its_name_and_the_source_backs_off(internet, tmp_path):
    internet.revoke_key("demo-key")
    with markets_run(tmp_path, internet, news_of("NGSC")) as made:
        made.run()
        (run,) = made.rows(polls)
        assert (run["status"], run["error"], run["http_status"]) == ("failed", "key_refused", 401)
        assert "HEADWATER_MASSIVE_KEY" in run["detail"]
        (source,) = made.rows(sources)
        assert source["failures"] == 1
        assert source["due_at"] > made.clock() + timedelta(seconds=20)
        internet.add_key("demo-key")
        made.poll_again()
        (source,) = made.rows(sources)
        assert (source["failures"], source["stopped"]) == (0, None)


def test_a_plan_that_does_not_include_it_is_told(internet, tmp_path):
    internet.add_key("demo-key", closed=["/v2/reference"])
    with markets_run(tmp_path, internet, news_of("NGSC")) as made:
        made.run()
        assert [run["error"] for run in made.rows(polls)] == ["not_entitled"]


def test_a_used_up_quota_loses_nothing_and_is_made_up_for(internet, tmp_path):
    internet.add_key("demo-key", per_minute=2)
    for _ in range(5):
        internet.dispatch("NGSC")
    with markets_run(tmp_path, internet, news_of("NGSC", limit=1)) as made:
        made.run()
        partly = len(made.rows(leads))
        assert 0 < partly < 6
        assert any("cut_short" in str(run["warnings"]) for run in made.rows(polls))
        internet.add_key("demo-key")
        made.clock.advance(timedelta(minutes=10))
        made.poll_again()
        assert len(made.rows(leads)) == len(made.rows(documents)) == 6
        assert {row["state"] for row in made.rows(documents)} == {State.KEPT}


@pytest.mark.parametrize(
    "fault", [Fault(status=500), Fault(truncate=40), Fault(reset=True), Fault(html=True)]
)
def test_a_broken_answer_is_asked_for_again(internet, tmp_path, fault):
    internet.fault(HOST, "/v2/reference/news", fault)
    with markets_run(tmp_path, internet, news_of("NGSC")) as made:
        made.run()
        made.clock.advance(timedelta(minutes=5))
        made.run()
        assert len(made.rows(documents)) == 1
        assert made.rows(sources)[0]["failures"] == 0


def _pages_until_some_are_stored(made: MarketsRun) -> None:
    network = NetworkLoop(made.context, [Job(RECIPE, Task.POLL)])
    while not made.rows(leads):
        network.step(timedelta(seconds=0.05))


def test_pages_that_a_crash_cut_off_are_read_to_the_end_by_the_next_and_none_twice(
    internet, tmp_path, own_environment
):
    for _ in range(4):
        internet.dispatch("NGSC")
    with markets_run(
        tmp_path, internet, news_of("NGSC", limit=1), owner="dies", environment=own_environment
    ) as first:
        _pages_until_some_are_stored(first)
        assert first.rows(sources)[0]["watermark"] == {}  # nothing is behind the watermark that is not stored
        clock = first.clock
    clock.advance(timedelta(minutes=30))
    told = {"owner": "next", "clock": clock, "environment": own_environment}
    with markets_run(tmp_path, internet, news_of("NGSC", limit=1), **told) as second:
        second.run()
        assert len(second.rows(leads)) == len(second.rows(documents)) == 5
        assert {run["status"] for run in second.rows(polls)} == {"failed", "completed"}
        assert (
            len({row["document_id"] for row in second.rows(queue_items)})
            == len(second.rows(queue_items))
            == 5
        )
