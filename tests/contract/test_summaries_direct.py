"""Summaries by direct calls on both databases, and stories whose scores grow older."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from tests.servers.batch_api import ApiFaults, batch_server, summary_of
from tests.support.scene import RECIPE, Scene
from tests.support.summary_rounds import SummaryScene

from headwater.model.errors import Refused
from headwater.store.schema.flow import deliveries
from headwater.store.schema.summaries import summary_requests
from headwater_recipes.geopolitics.description import DescribeStory

DIRECT = {"mode": "direct", "model": "small"}
CHAT = "POST /chat/completions"


@pytest.fixture
def summaries(scene: Scene) -> Iterator[SummaryScene]:
    with batch_server() as server:
        yield SummaryScene(scene, server)


def test_g13_a_direct_call_replaces_the_local_summary_at_once(summaries: SummaryScene):
    summaries.publish("a1", "a2", "b1")
    figures = summaries.round(**DIRECT)
    assert (figures.asked, figures.answered, figures.stories_updated, figures.cost) == (2, 2, 2, None)
    assert (summaries.by("a"), summaries.by("b")) == ("small", "small")
    origin = summaries.story("a")["attributes"]["summary_origin"]
    assert (origin["level"], origin["question"], origin["dropped"]) == ("standard", "story-1", 0)
    assert summaries.round(**DIRECT).asked == 0
    assert len(summaries.server.chats) == 2


def test_an_invalid_answer_is_asked_for_again_with_the_reason(summaries: SummaryScene):
    summaries.publish("a1")
    answers = iter(["Certainly!"])
    summaries.server.answer = lambda request: next(answers, None) or summary_of(request)
    summaries.round(**DIRECT)
    assert summaries.by("a") == "small"
    first, second = summaries.server.chats
    assert second["messages"][:2] == first["messages"]
    assert "cannot be used: not JSON" in second["messages"][3]["content"]


def test_g18_after_the_last_attempt_the_local_summary_stays(summaries: SummaryScene):
    summaries.publish("a1")
    local = summaries.story("a")["summary"]
    summaries.server.answer = lambda _: "{}"
    summaries.rounds(6, **DIRECT)
    assert len(summaries.server.chats) == 6
    assert summaries.requests() == {"a-standard": "failed"}
    assert (summaries.story("a")["summary"], summaries.by("a")) == (local, "local")


def test_an_overloaded_endpoint_is_left_alone_and_no_attempt_is_counted(summaries: SummaryScene):
    summaries.publish("a1", "b1")
    summaries.server.faults += [ApiFaults(CHAT, 429, {"Retry-After": "120"}) for _ in range(5)]
    figures = summaries.round(**DIRECT, concurrency=1)
    assert (figures.postponed, len(summaries.server.requests)) == (1, 1)
    for _ in range(5):
        summaries.scene.now += timedelta(seconds=120)
        summaries.round(**DIRECT, concurrency=1)
    assert (summaries.by("a"), summaries.by("b")) == ("small", "small")


def test_a_request_that_was_not_accepted_is_not_counted_as_spent(summaries: SummaryScene):
    summaries.publish("a1")
    summaries.server.faults.append(ApiFaults(CHAT, 503))
    summaries.round(mode="direct")
    rows = summaries.store()
    assert rows.spent_since(summaries.scene.now - timedelta(days=1)) == pytest.approx(0)
    summaries.scene.now += timedelta(minutes=2)
    summaries.round(mode="direct")
    assert rows.spent_since(summaries.scene.now - timedelta(days=1)) > 0.0001


@pytest.mark.parametrize("fault", [{"status": 408}, {"status": 502}, {"status": 504}, {"broken": True}])
def test_g14_a_call_that_may_have_been_paid_counts_and_keeps_its_cost(
    summaries: SummaryScene, fault: dict[str, Any]
):
    summaries.publish("a1")
    summaries.server.faults += [ApiFaults(CHAT, **fault) for _ in range(3)]
    costs = []
    for number in range(1, 4):
        figures = summaries.rounds(1, mode="direct")[0]
        (row,) = summaries.scene.rows(summary_requests)
        assert (figures.answered, row["attempts"]) == (0, number)
        costs.append(row["cost"])
    assert costs == pytest.approx([costs[0] * number for number in (1, 2, 3)])
    assert costs[0] > 0.0001
    assert summaries.requests() == {"a-standard": "failed"}


def test_g14_an_endpoint_that_was_never_reached_costs_nothing(summaries: SummaryScene):
    summaries.publish("a1")
    with batch_server() as stopped:
        pass
    assert summaries.round(mode="direct", endpoint=stopped.address).postponed == 1
    (row,) = summaries.scene.rows(summary_requests)
    assert (row["attempts"], row["cost"]) == (0, pytest.approx(0))


def test_g14_a_second_call_that_is_not_accepted_leaves_the_first_counted(summaries: SummaryScene):
    summaries.publish("a1")

    def badly(_: Any) -> str:
        summaries.server.faults.append(ApiFaults(CHAT, 429))
        return "Certainly!"

    summaries.server.answer = badly
    most = summaries.estimate(mode="direct").cost
    figures = summaries.round(mode="direct")
    (row,) = summaries.scene.rows(summary_requests)
    assert (figures.postponed, row["attempts"], row["cost"]) == (1, 1, pytest.approx(most / 2))


def test_g14_the_estimate_includes_every_call_that_may_be_made(summaries: SummaryScene):
    summaries.publish("a1")
    single_cost = summaries.estimate(mode="direct", max_calls=1).cost
    assert summaries.estimate(mode="direct", max_calls=3).cost == pytest.approx(3 * single_cost)
    with pytest.raises(Refused, match=r"summaries\.daily_budget"):
        summaries.round(mode="direct", max_calls=3, daily_budget=2 * single_cost)
    assert summaries.server.chats == []
    summaries.round(mode="direct", max_calls=3, daily_budget=4 * single_cost)
    assert summaries.scene.rows(summary_requests)[0]["cost"] == pytest.approx(single_cost)


def test_a_refused_key_stops_everything_and_counts_nothing(summaries: SummaryScene):
    summaries.publish("a1")
    summaries.server.faults.append(ApiFaults(CHAT, 401))
    with pytest.raises(Refused, match="refused the key"):
        summaries.round(**DIRECT)
    assert summaries.by("a") == "local"
    assert summaries.round(**DIRECT).answered == 1


def test_sentences_with_links_from_an_article_are_dropped(summaries: SummaryScene):
    summaries.publish("a1")
    injected = {"text": "Visit https://evil.example/ at once.", "sources": [1]}
    summaries.server.answer = lambda request: json.dumps(
        {"sentences": [*json.loads(summary_of(request))["sentences"], injected]}
    )
    summaries.round(**DIRECT)
    assert "evil" not in summaries.story("a")["summary"]
    assert summaries.story("a")["attributes"]["summary_origin"]["dropped"] == 1


def test_options_go_into_the_request_and_null_removes_a_default(summaries: SummaryScene):
    summaries.publish("a1")
    options = {"max_tokens": None, "max_completion_tokens": 700, "response_format": None}
    summaries.round(**DIRECT, options=options)
    (request,) = summaries.server.chats
    assert request["max_completion_tokens"] == 700
    assert not {"max_tokens", "response_format"} & request.keys()


def test_g16_scores_age_without_new_documents(summaries: SummaryScene):
    summaries.publish("a1", "b1")
    rows, age = summaries.store(), DescribeStory().age
    before = summaries.story("a")
    assert rows.rescore(RECIPE, age, summaries.scene.now) == 0
    later = summaries.scene.now + timedelta(hours=12)
    assert rows.rescore(RECIPE, age, later) == 2
    aged = summaries.story("a")
    # Half of the recency, whose share is 0.25 of the 0.8 that a story without a topic has.
    assert before["score"] - aged["score"] == pytest.approx(0.25 / 0.8 / 2, abs=0.001)
    assert aged["attributes"]["components"]["recency"] == pytest.approx(0.5, abs=0.001)
    same = ("revision", "updated_at", "summary", "title")
    assert [aged[name] for name in same] == [before[name] for name in same]
    assert rows.rescore(RECIPE, age, later) == 0
    assert summaries.scene.row(deliveries, record_id="a")["revision"] == 1


def test_an_aged_score_equals_that_of_a_story_described_again(summaries: SummaryScene):
    summaries.publish("a1")
    rows = summaries.store()
    later = summaries.scene.now + timedelta(hours=5)
    rows.rescore(RECIPE, DescribeStory().age, later)
    aged = summaries.story("a")["score"]
    (story,) = [s for s in rows_of(summaries) if s.id == "a"]
    assert DescribeStory().age(story, later).score == aged
    assert rows.rescore(RECIPE, DescribeStory().age, summaries.scene.now) == 1


def rows_of(summaries: SummaryScene):
    from headwater.store.connect import read_transaction
    from headwater.store.records import stories_by_id

    with read_transaction(summaries.scene.store.engine) as connection:
        return list(stories_by_id(connection, ["a"]).values())
