"""The description of a story does not depend on the order of its documents."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.poll_sessions import NOW

from headwater.model.document import Document
from headwater.model.recipe import StoryContext
from headwater.model.story import Member, Story
from headwater.stories.coverage import domain_of
from headwater_recipes.geopolitics.alert_rules import AlertRules
from headwater_recipes.geopolitics.description import DescribeStory, main_topic
from headwater_recipes.geopolitics.steps import topic_record
from headwater_recipes.geopolitics.week_reports import MOST_STORED

STRAIT = "0b0f2a86-6a1c-4b0e-9d43-1f2f3c4d5e6f"


def document(name: str, topic: str | None = None, **attributes: object) -> Document:
    all_attributes = {"flashpoint": STRAIT, **attributes} | (
        {"topic": topic_record(topic, 0.9, "x")} if topic else {}
    )
    return Document(
        id=name,
        recipe="geopolitics",
        source="s",
        lead="l",
        url=f"https://www.{name}.example/1",
        title=f"Title {name}",
        text=f"The ship {name} left the harbour on Monday with a crew of twelve. It returned.",
        language="en",
        published=NOW - timedelta(hours=12),
        attributes=all_attributes,
    )


def story(documents: list[Document], revision: int = 1) -> Story:
    times = [item.published for item in documents if item.published]
    return Story(
        id="s",
        recipe="geopolitics",
        group="g",
        title="t",
        members=tuple(Member(item.id) for item in documents),
        last_at=max(times, default=None),
        revision=revision,
    )


def describe(documents: list[Document], before: Story | None = None, **rules: object) -> Story:
    revision = 1 if before is None else before.revision + 1
    context = StoryContext(
        story=story(documents, revision), documents=tuple(documents), before=before, rank=1, now=NOW
    )
    return DescribeStory(rules=AlertRules(**rules)).describe(context)


DOCUMENTS = st.lists(
    st.builds(
        document,
        st.text("abcdefgh", min_size=1, max_size=3),
        st.sampled_from([None, "11000000", "16000000"]),
        geo_entities=st.sampled_from([(), ({"alpha2": "UA", "count": 2},)]),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda item: item.id,
)


def test_a_story_has_the_names_that_most_of_its_documents_have():
    def named(name: str, *persons: tuple[str, int]) -> Document:
        names = [{"text": text, "score": 1.0, "count": count} for text, count in persons]
        return document(name, entities={"PERSON": names, "meta": {"method": "words and capitals"}})

    documents = [named("a", ("Ada Lönn", 1)), named("b", ("Ada Lonn", 3), ("Ivo Brandt", 9)), document("c")]
    assert describe(documents).attributes["entities"] == {
        "PERSON": [
            {"text": "Ada Lonn", "documents": 2, "count": 4},
            {"text": "Ivo Brandt", "documents": 1, "count": 9},
        ]
    }


@given(DOCUMENTS, st.randoms())
def test_g12_g16_the_order_of_documents_changes_neither_score_nor_topic_nor_summary(documents, chance):
    shuffled = list(documents)
    chance.shuffle(shuffled)
    first, second = describe(documents), describe(shuffled)
    assert (first.score, first.summary) == (second.score, second.summary)
    names = ("topic", "components", "top_domains", "countries", "claims", "alert")
    assert [first.attributes[name] for name in names] == [second.attributes[name] for name in names]
    assert first.score is not None
    assert 0 <= first.score <= 1


def test_g21_a_story_has_the_golden_score():
    described = describe([document(name, "16000000") for name in ("a", "b")] + [document("c", "16000000")])
    assert described.score == 0.5308
    assert described.attributes["components"]["recency"] == 0.5001
    assert described.attributes["domains"] == 3


def test_g4_a_story_that_did_not_change_keeps_its_alert():
    first = describe([document("a"), document("b")], new_story=2)
    assert first.attributes["alert"] == ["new_story"]
    unchanged = StoryContext(
        story=story([document("a"), document("b")]),
        documents=(document("a"), document("b")),
        before=first,
        rank=1,
        now=NOW,
    )
    assert DescribeStory(rules=AlertRules(new_story=2)).describe(unchanged).attributes["alert"] == [
        "new_story"
    ]
    grown = describe([document("a"), document("b"), document("c")], before=first, new_story=2)
    assert grown.attributes["alert"] == []


def test_g17_growth_is_counted_from_the_last_alert_across_days_and_late_articles_are_none():
    def published(names: str, hours: float) -> list[Document]:
        return [replace(document(name), published=NOW - timedelta(hours=hours)) for name in names]

    rules = {"growth": 2.0}
    first = describe(published("ab", 30), **rules)
    second = describe([*published("ab", 30), *published("cd", 20)], before=first, **rules)
    late = describe(
        [*published("ab", 30), *published("cd", 20), *published("fgh", 90)], before=second, **rules
    )
    grown = describe(
        [*published("ab", 30), *published("cd", 20), *published("fgh", 90), *published("klm", 10)],
        before=late,
        **rules,
    )
    assert [item.attributes["alert"] for item in (first, second, late, grown)] == [[], [], [], ["growth"]]
    assert grown.attributes["alert_reasons"] == ["it grew from 5 to 10 reports a week"]


def test_g17_a_story_without_recent_articles_causes_no_alert_and_says_what_was_withheld():
    old = replace(document("a", "16000000"), published=NOW - timedelta(days=6))
    described = describe([old, replace(old, id="b")], new_story=2)
    assert described.attributes["alert"] == []
    assert described.attributes["alert_withheld"] == ["new_story"]
    assert described.attributes["score_reasons"][0].startswith(
        "Volume adds 0.00 of 0.30: 0 reports in the last three days (2 in all)"
    )


def test_g16_the_score_counts_the_reports_of_the_last_three_days():
    old = [replace(document(name, "16000000"), published=NOW - timedelta(days=4)) for name in "cdefgh"]
    fresh = [document(name, "16000000") for name in "ab"]
    described = describe([*old, *fresh])
    assert described.attributes["components"] == describe(fresh).attributes["components"]
    assert "2 reports in the last three days (8 in all)" in described.attributes["score_reasons"][0]
    later = DescribeStory().age(described, NOW + timedelta(days=8))
    assert later.attributes["components"]["volume"] == later.attributes["components"]["diversity"] == 0
    assert later.attributes["growth_from"] == 0


def test_g16_a_round_up_neither_heats_a_story_nor_alerts():
    round_up = replace(document("r", "16000000"), title="The week: Kelmar Strait")
    alone = describe([round_up], topics=frozenset({"16000000"}), new_story=1)
    assert alone.attributes["alert"] == []
    assert (alone.attributes["reports"], alone.score) == (0, 0.2)
    report = document("a", "16000000")
    assert describe([report, round_up]).score == describe([report]).score


@pytest.mark.parametrize("published", [None, NOW + timedelta(days=400)])
def test_g16_a_report_without_a_usable_date_counts_from_its_arrival(published: datetime | None):
    undated = replace(document("a", "16000000"), published=published)
    first = describe([undated])
    assert first.attributes["components"]["recency"] == 1
    later = NOW + timedelta(days=3)
    other = replace(document("b", "16000000"), published=NOW - timedelta(hours=5))
    context = StoryContext(
        story=story([undated, other], 2), documents=(undated, other), before=first, rank=1, now=later
    )
    second = DescribeStory(rules=AlertRules(new_story=2)).describe(context)
    assert second.attributes["components"]["recency"] < 0.1
    assert (second.attributes["recent"], second.attributes["alert"]) == (0, [])
    assert DescribeStory().age(first, NOW + timedelta(days=8)).attributes["components"]["volume"] == 0


def test_g17_an_archive_without_dates_causes_no_alert_until_something_joins_it():
    archive = [replace(document(name, "16000000"), published=None) for name in "abcde"]
    first = describe(archive, new_story=3)
    assert (first.attributes["alert"], first.attributes["alert_withheld"]) == ([], ["new_story"])
    joined = [*archive, replace(document("f", "16000000"), published=None)]
    context = StoryContext(
        story=story(joined, 2), documents=tuple(joined), before=first, rank=1, now=NOW + timedelta(days=1)
    )
    assert DescribeStory(rules=AlertRules(new_story=3)).describe(context).attributes["alert"] == ["new_story"]


def test_g16_a_report_counts_by_its_moment_in_whatever_time_zone_it_is_given():
    far = timezone(timedelta(hours=14))
    same = replace(document("a"), published=(NOW - timedelta(hours=12)).astimezone(far))
    assert describe([same]).attributes["week"] == describe([document("a")]).attributes["week"]


def test_g17_reports_that_arrive_late_are_no_growth():
    def published(names: str, hours: float) -> list[Document]:
        return [replace(document(name), published=NOW - timedelta(hours=hours)) for name in names]

    first = describe(published("abcd", 20), growth=2.0)
    late = describe([*published("abcd", 20), *published("efghijkl", 60)], before=first, growth=2.0)
    fresh = describe(
        [*published("abcd", 20), *published("efghijkl", 60), *published("mnop", 1)], before=late, growth=2.0
    )
    assert (late.attributes["growth_from"], late.attributes["alert"]) == (12, [])
    assert fresh.attributes["alert"] == []


def test_g16_what_a_story_remembers_of_its_reports_is_bounded():
    undated = [replace(document(f"d{number:03}"), published=None) for number in range(MOST_STORED + 20)]
    first = describe(undated)
    week = first.attributes["week"]
    assert (len(week["arrivals"]), len(week["publishers"])) == (MOST_STORED, MOST_STORED)
    again = describe([*undated, document("later")], first)
    assert (again.attributes["reports"], again.score) == (MOST_STORED + 21, first.score)


def test_g17_a_story_that_an_earlier_version_described_does_not_alert_for_the_same_again():
    documents = [document(f"d{number}", "11000000") for number in range(12)]
    described = describe(documents, score=0.5, new_story=5)
    assert described.attributes["alert"] == ["new_story", "score"]
    by_earlier_version = replace(
        described,
        attributes={
            name: value
            for name, value in described.attributes.items()
            if name not in {"week", "reports", "started_at", "growth_from"}
        },
    )
    joined = describe([*documents, document("later", "11000000")], by_earlier_version, score=0.5, new_story=5)
    assert joined.attributes["alert"] == []
    assert joined.attributes["is_hot"]


def test_g13_a_story_without_text_is_summarised_by_its_titles():
    described = describe([replace(document("a"), text=""), replace(document("b"), text="")])
    assert described.summary == "Title a; Title b"


def test_g15_the_topic_of_a_story_is_that_of_its_own_documents():
    main = main_topic([document("a", "11000000"), document("b", "16000000"), document("c", "16000000")])
    assert (main["code"], main["votes"]) == ("16000000", 2)
    assert main_topic([document("a")])["name"] == "unclassified"


def test_g3_the_domain_that_an_entry_names_wins_over_a_redirect():
    assert domain_of(document("a", domain="Paper.example")) == "paper.example"
    assert domain_of(document("a")) == "a.example"


def test_g13_a_summary_is_in_the_first_language_of_the_readers_that_the_story_has():
    spanish = replace(
        document("b"), language="es", text="El barco salió del puerto el lunes con doce tripulantes."
    )
    russian = replace(document("c"), language="ru", text="Судно вышло из порта в понедельник с экипажем.")
    documents = [russian, spanish, document("a")]
    context = StoryContext(story=story(documents), documents=tuple(documents), before=None, rank=1, now=NOW)
    described = DescribeStory(languages=("fr", "es", "en")).describe(context)
    assert described.summary == spanish.text
    assert described.attributes["summary_language"] == "es"
    assert list(described.attributes["summaries"]) == ["en"]
    assert {name for claim in described.attributes["claims"] for name in claim["documents"]} == {"b"}


def test_a_story_without_a_country_lies_where_its_flashpoint_does():
    describe_placed = DescribeStory(places={"f": ("PE",)})

    def countries_of(*documents: Document) -> list[str]:
        context = StoryContext(
            story=story(list(documents)), documents=documents, before=None, rank=1, now=NOW
        )
        return describe_placed.describe(context).attributes["countries"]

    assert countries_of(document("a", flashpoint="f")) == ["PE"]
    assert countries_of(document("a", flashpoint="f", geo_entities=({"alpha2": "UA", "count": 2},))) == ["UA"]
