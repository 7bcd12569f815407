"""The articles of the demo newspapers: the same for each seed, with copies as the list of copies says."""

import re
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from itertools import combinations

import pytest

from headwater_demo.article_truth import article_truths
from headwater_demo.world import create_world


@pytest.fixture(scope="module")
def truth():
    return article_truths(create_world(size="full"))


def words(item):
    return re.findall(r"\w+", " ".join(item["paragraphs"]).lower())


def likeness(first, second):
    a, b = ({tuple(text[i : i + 3]) for i in range(len(text) - 2)} for text in (words(first), words(second)))
    return len(a & b) / len(a | b)


@pytest.mark.parametrize("size", ["small", "full"])
def test_the_same_seed_writes_the_same_articles(size):
    assert article_truths(create_world(seed=11, size=size)) == article_truths(
        create_world(seed=11, size=size)
    )


def test_another_seed_writes_other_articles():
    first, second = (
        Counter(item["title"] for item in article_truths(create_world(seed=seed))) for seed in (1, 2)
    )
    assert sum((first & second).values()) < sum(first.values()) / 2


def test_a_later_date_does_not_change_earlier_articles():
    straight, wandering = create_world(), create_world()
    wandering.clock.advance(timedelta(days=3))
    article_truths(wandering)
    wandering.clock.set(straight.clock.now())
    assert article_truths(wandering) == article_truths(straight)


@pytest.mark.parametrize(("size", "count"), [("small", 40), ("full", 300)])
def test_each_size_has_its_number_of_articles(size, count):
    assert len(article_truths(create_world(size=size))) == count


def test_every_kind_and_language_occurs(truth):
    kinds = Counter(item["kind"] for item in truth)
    assert kinds == {
        "original": 200,
        "daily_report": 30,
        "exact_copy": 30,
        "near_copy": 30,
        "shared_guid": 10,
    }
    assert {item["language"] for item in truth} == {"en", "es", "de"}


def test_articles_are_complete_and_of_a_natural_length(truth):
    for item in truth:
        assert all(
            item[name] for name in ("title", "author", "description", "keywords", "image", "guid", "feeds")
        )
        assert 130 <= len(words(item)) <= 1000, item["title"]
        assert datetime.fromisoformat(item["published"]).tzinfo is not None
        assert not re.search(r"[\[\]{}|]", " ".join([item["title"], *item["paragraphs"]]))


def test_addresses_are_unique_and_guids_are_shared_only_on_purpose(truth):
    addresses = [url for item in truth for url in item["urls"]]
    assert len(addresses) == len(set(addresses))
    shared = {guid for guid, count in Counter(item["guid"] for item in truth).items() if count > 1}
    assert shared == {item["guid"] for item in truth if item["kind"] == "shared_guid"}


def test_exact_copies_have_the_text_of_their_original_on_another_host(truth):
    by_id = {item["id"]: item for item in truth}
    for item in truth:
        if item["kind"] in ("exact_copy", "shared_guid"):
            source = by_id[item["copy_of"]]
            assert (item["title"], item["group"]) == (source["title"], source["group"])
            assert item["paragraphs"] == source["paragraphs"]
            assert item["host"] != source["host"]
            assert datetime.fromisoformat(item["published"]) > datetime.fromisoformat(source["published"])


def test_near_copies_are_near_and_everything_else_is_far(truth):
    by_id = {item["id"]: item for item in truth}
    for item in truth:
        if item["kind"] == "near_copy":
            assert item["group"] == item["id"]
            assert item["story"] == by_id[item["copy_of"]]["story"]
            assert 0.55 < likeness(item, by_id[item["copy_of"]]) < 1
    originals = [item for item in truth if item["copy_of"] is None][:80]
    assert max(likeness(first, second) for first, second in combinations(originals, 2)) < 0.45


def test_daily_reports_share_their_form_but_not_their_figures(truth):
    by_host = defaultdict(list)
    for item in truth:
        if item["kind"] == "daily_report":
            by_host[item["host"]].append(item)
    assert {len(reports) for reports in by_host.values()} == {10}
    for reports in by_host.values():
        assert len({item["group"] for item in reports}) == 10
        assert len({tuple(item["paragraphs"]) for item in reports}) == 10


def test_some_articles_are_listed_with_tracking_parameters_in_a_second_feed(truth):
    tracked = [
        item for item in truth if len(item["feeds"]) > 1 and any("utm_source" in url for url in item["urls"])
    ]
    assert len(tracked) > 10


def test_some_articles_are_corrected_hours_after_they_appeared(truth):
    late = [item for item in truth if item["modified"] != item["published"]]
    assert len(late) > 3
    world = create_world(size="full")
    world.clock.set(datetime.fromisoformat(late[0]["published"]))
    first = next(item for item in article_truths(world) if item["id"] == late[0]["id"])
    assert first["paragraphs"] == late[0]["paragraphs"][:-1]
