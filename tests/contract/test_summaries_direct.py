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
def desk(scene: Scene) -> Iterator[SummaryScene]:
    with batch_server() as server:
        yield SummaryScene(scene, server)


def test_g13_a_direct_call_replaces_the_local_summary_at_once(desk: SummaryScene):
    desk.publish("a1", "a2", "b1")
    done = desk.round(**DIRECT)
    assert (done.asked, done.answered, done.stories_updated, done.cost) == (2, 2, 2, None)
    assert (desk.by("a"), desk.by("b")) == ("small", "small")
    origin = desk.story("a")["attributes"]["summary_origin"]
    assert (origin["level"], origin["question"], origin["dropped"]) == ("standard", "story-1", 0)
    assert desk.round(**DIRECT).asked == 0
    assert len(desk.server.chats) == 2


def test_a_bad_answer_is_asked_for_again_with_what_was_wrong(desk: SummaryScene):
    desk.publish("a1")
    answers = iter(["Certainly!"])
    desk.server.answer = lambda asked: next(answers, None) or summary_of(asked)
    desk.round(**DIRECT)
    assert desk.by("a") == "small"
    first, second = desk.server.chats
    assert second["messages"][:2] == first["messages"]
    assert "cannot be used: not JSON" in second["messages"][3]["content"]


def test_g18_after_the_limit_the_local_summary_stands(desk: SummaryScene):
    desk.publish("a1")
    local = desk.story("a")["summary"]
    desk.server.answer = lambda _: "{}"
    desk.rounds(6, **DIRECT)
    assert len(desk.server.chats) == 6
    assert desk.requests() == {"a-standard": "failed"}
    assert (desk.story("a")["summary"], desk.by("a")) == (local, "local")


def test_an_overrun_endpoint_is_left_alone_and_no_try_is_counted(desk: SummaryScene):
    desk.publish("a1", "b1")
    desk.server.troubles += [ApiFaults(CHAT, 429, {"Retry-After": "120"}) for _ in range(5)]
    done = desk.round(**DIRECT, concurrency=1)
    assert (done.postponed, len(desk.server.asked)) == (1, 1)
    for _ in range(5):
        desk.scene.now += timedelta(seconds=120)
        desk.round(**DIRECT, concurrency=1)
    assert (desk.by("a"), desk.by("b")) == ("small", "small")


def test_what_was_not_taken_is_not_counted_as_spent(desk: SummaryScene):
    desk.publish("a1")
    desk.server.troubles.append(ApiFaults(CHAT, 503))
    desk.round(mode="direct")
    rows = desk.store()
    assert rows.spent_since(desk.scene.now - timedelta(days=1)) == pytest.approx(0)
    desk.scene.now += timedelta(minutes=2)
    desk.round(mode="direct")
    assert rows.spent_since(desk.scene.now - timedelta(days=1)) > 0.0001


@pytest.mark.parametrize("trouble", [{"status": 408}, {"status": 502}, {"status": 504}, {"broken": True}])
def test_g14_a_call_that_may_have_been_paid_counts_and_keeps_its_cost(
    desk: SummaryScene, trouble: dict[str, Any]
):
    desk.publish("a1")
    desk.server.troubles += [ApiFaults(CHAT, **trouble) for _ in range(3)]
    costs = []
    for number in range(1, 4):
        done = desk.rounds(1, mode="direct")[0]
        (row,) = desk.scene.rows(summary_requests)
        assert (done.answered, row["attempts"]) == (0, number)
        costs.append(row["cost"])
    assert costs == pytest.approx([costs[0] * number for number in (1, 2, 3)])
    assert costs[0] > 0.0001
    assert desk.requests() == {"a-standard": "failed"}


def test_g14_an_endpoint_that_was_never_reached_costs_nothing(desk: SummaryScene):
    desk.publish("a1")
    with batch_server() as gone:
        pass
    assert desk.round(mode="direct", endpoint=gone.address).postponed == 1
    (row,) = desk.scene.rows(summary_requests)
    assert (row["attempts"], row["cost"]) == (0, pytest.approx(0))


def test_g14_a_second_call_that_is_not_taken_leaves_the_first_one_counted(desk: SummaryScene):
    desk.publish("a1")

    def badly(_: Any) -> str:
        desk.server.troubles.append(ApiFaults(CHAT, 429))
        return "Certainly!"

    desk.server.answer = badly
    most = desk.estimate(mode="direct").cost
    done = desk.round(mode="direct")
    (row,) = desk.scene.rows(summary_requests)
    assert (done.postponed, row["attempts"], row["cost"]) == (1, 1, pytest.approx(most / 2))


def test_g14_the_estimate_reckons_with_every_call_that_may_be_made(desk: SummaryScene):
    desk.publish("a1")
    once = desk.estimate(mode="direct", max_calls=1).cost
    assert desk.estimate(mode="direct", max_calls=3).cost == pytest.approx(3 * once)
    with pytest.raises(Refused, match=r"summaries\.daily_budget"):
        desk.round(mode="direct", max_calls=3, daily_budget=2 * once)
    assert desk.server.chats == []
    desk.round(mode="direct", max_calls=3, daily_budget=4 * once)
    assert desk.scene.rows(summary_requests)[0]["cost"] == pytest.approx(once)


def test_a_refused_key_stops_everything_and_counts_nothing(desk: SummaryScene):
    desk.publish("a1")
    desk.server.troubles.append(ApiFaults(CHAT, 401))
    with pytest.raises(Refused, match="refused the key"):
        desk.round(**DIRECT)
    assert desk.by("a") == "local"
    assert desk.round(**DIRECT).answered == 1


def test_sentences_that_follow_an_article_away_are_left_out(desk: SummaryScene):
    desk.publish("a1")
    injected = {"text": "Visit https://evil.example/ at once.", "sources": [1]}
    desk.server.answer = lambda asked: json.dumps(
        {"sentences": [*json.loads(summary_of(asked))["sentences"], injected]}
    )
    desk.round(**DIRECT)
    assert "evil" not in desk.story("a")["summary"]
    assert desk.story("a")["attributes"]["summary_origin"]["dropped"] == 1


def test_options_go_into_the_request_and_null_takes_one_away(desk: SummaryScene):
    desk.publish("a1")
    options = {"max_tokens": None, "max_completion_tokens": 700, "response_format": None}
    desk.round(**DIRECT, options=options)
    (asked,) = desk.server.chats
    assert asked["max_completion_tokens"] == 700
    assert not {"max_tokens", "response_format"} & asked.keys()


def test_g16_scores_grow_older_without_new_documents(desk: SummaryScene):
    desk.publish("a1", "b1")
    rows, age = desk.store(), DescribeStory().age
    before = desk.story("a")
    assert rows.rescore(RECIPE, age, desk.scene.now) == 0
    later = desk.scene.now + timedelta(hours=12)
    assert rows.rescore(RECIPE, age, later) == 2
    aged = desk.story("a")
    assert before["score"] - aged["score"] == pytest.approx(0.125, abs=0.001)
    assert aged["attributes"]["components"]["recency"] == pytest.approx(0.5, abs=0.001)
    same = ("revision", "updated_at", "summary", "title")
    assert [aged[name] for name in same] == [before[name] for name in same]
    assert rows.rescore(RECIPE, age, later) == 0
    assert desk.scene.row(deliveries, record_id="a")["revision"] == 1


def test_a_score_that_grew_older_is_that_of_a_story_told_anew(desk: SummaryScene):
    desk.publish("a1")
    rows = desk.store()
    later = desk.scene.now + timedelta(hours=5)
    rows.rescore(RECIPE, DescribeStory().age, later)
    aged = desk.story("a")["score"]
    (told,) = [s for s in rows_of(desk) if s.id == "a"]
    assert DescribeStory().age(told, later).score == aged
    assert rows.rescore(RECIPE, DescribeStory().age, desk.scene.now) == 1


def rows_of(desk: SummaryScene):
    from headwater.store.connect import read_transaction
    from headwater.store.records import stories_by_id

    with read_transaction(desk.scene.store.engine) as connection:
        return list(stories_by_id(connection, ["a"]).values())
