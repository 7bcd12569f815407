"""Events that are reported in one wording are told apart by names and figures; reworded reports of one event stay together."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.stories.clustering.build_stories import build_stories
from headwater.stories.clustering.same_wording import split_by_names
from headwater.stories.clustering.similarity import StoryItem

DAY = datetime(2026, 11, 10, 8, tzinfo=UTC)


def takeover(buyer: str, target: str, person: str, *, price: int, workers: int) -> tuple[str, str]:
    text = (
        f"The group {buyer} said on Monday it will buy {target} for {price} million euros in cash. The deal adds several plants and "
        f"{workers} workers to the group. Chief executive {person} expects the purchase to close in March, subject to approval by "
        f"regulators. Shares of {buyer} rose after the announcement."
    )
    return f"{buyer} to buy {target} for {price} million", text


MINES = takeover("Harwick Mining", "Tollan Metals", "Ines Marwick", price=340, workers=1_200)
DAIRY = takeover("Brandt Foods", "Celia Dairy", "Olaf Renner", price=90, workers=700)
REWORDED_TEXT = (
    "The miner Harwick has agreed to take over its smaller rival Tollan Metals. It pays 340 million euros, people close to the talks "
    "confirmed, and wants to keep all 1,200 jobs at the sites. Ines Marwick, who runs Harwick, called it the logical next step; the "
    "watchdog must still agree."
)
REWORDED = ("Tollan Metals sold to Harwick in 340m deal", REWORDED_TEXT)


def item(key: str, report: tuple[str, str], language: str = "en") -> StoryItem:
    return StoryItem(id=key, title=report[0], text=report[1], published_at=DAY, language=language)


def members(*items: StoryItem) -> set[frozenset[str]]:
    return {frozenset(member.document for member in story.members) for story in build_stories(items)}


def test_c19_two_events_of_one_template_are_two_stories_and_a_reworded_report_stays_with_its_event():
    stories = members(item("mines", MINES), item("dairy", DAIRY), item("reworded", REWORDED))
    assert stories == {frozenset({"mines", "reworded"}), frozenset({"dairy"})}


@pytest.mark.parametrize(
    "other",
    [
        takeover(
            "Harwick Mining", "Tollan Metals", "Ines Marwick", price=360, workers=1_100
        ),  # other figures
        takeover("Harwick Group", "Tollan", "I. Marwick", price=340, workers=1_200),  # other spellings
    ],
)
def test_c19_the_same_names_or_the_same_figures_are_one_event(other: tuple[str, str]):
    assert members(item("first", MINES), item("second", other)) == {frozenset({"first", "second"})}


def test_names_of_another_language_say_nothing():
    assert members(item("first", MINES, "en"), item("second", DAIRY, "de")) == members(
        item("first", MINES, "de"), item("second", DAIRY, "en")
    )


def test_reports_in_another_language_stay_with_the_larger_event():
    russian = (
        "Харвик покупает Толлан",
        "Горная компания Харвик договорилась о покупке соперника Толлан, сообщила Инес Марвик.",
    )
    items = [item("mines", MINES), item("reworded", REWORDED), item("dairy", DAIRY)]
    items += [item("russian", russian, "ru"), item("copy", russian, "ru")]
    assert split_by_names(items, np.zeros(len(items), dtype=np.int64)).tolist() == [0, 0, 1, 0, 0]


GERMAN = (
    "Brandt Foods kauft Celia Dairy für 90 Millionen Euro",
    "Der Konzern Brandt Foods will den Hersteller Celia Dairy für 90 Millionen Euro kaufen, wie Olaf Renner am Montag sagte.",
)


@given(st.permutations(["mines", "reworded", "dairy", "german"]))
def test_c19_a_report_in_another_language_joins_the_event_whose_names_it_has(order: list[str]):
    reports = {"mines": MINES, "reworded": REWORDED, "dairy": DAIRY, "german": GERMAN}
    items = [item(key, reports[key], "de" if key == "german" else "en") for key in order]
    labels = dict(
        zip(order, split_by_names(items, np.zeros(len(items), dtype=np.int64)).tolist(), strict=True)
    )
    assert labels["german"] == labels["dairy"] != labels["mines"] == labels["reworded"]


@given(st.permutations(["mines", "dairy", "russian"]))
def test_where_nothing_is_in_common_content_decides_and_not_the_order(order: list[str]):
    reports = {
        "mines": MINES,
        "dairy": DAIRY,
        "russian": ("Сделка", "Компания договорилась о покупке соперника."),
    }
    items = [item(key, reports[key], "ru" if key == "russian" else "en") for key in order]
    labels = dict(
        zip(order, split_by_names(items, np.zeros(len(items), dtype=np.int64)).tolist(), strict=True)
    )
    assert labels["russian"] == labels["dairy"] != labels["mines"]


@given(st.permutations(["mines", "dairy", "reworded"]))
def test_the_order_does_not_matter(order: list[str]):
    reports = {"mines": MINES, "dairy": DAIRY, "reworded": REWORDED}
    assert len(members(*(item(key, reports[key]) for key in order))) == 2


def branches(bank: str, count: int, jobs: int, chief: str) -> tuple[str, str]:
    """The name of the bank stands only where every word has a capital letter."""
    text = (
        f"{bank} Bank will shut {count} of its branches before summer and cut {jobs} jobs. Chief executive {chief} said that customers had "
        "moved to the app. Unions called for talks with the board."
    )
    return f"{bank} Bank to close {count} branches by summer", text


def avalanche(place: str, day: str) -> tuple[str, str]:
    text = (
        f"An avalanche killed two skiers above {place} on {day}. A third was dug out alive. Mountain rescue had warned of fresh snow on "
        "the north side of the valley."
    )
    return f"Two dead as avalanche hits skiers in {place}", text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (branches("Avalon", 60, 800, "Pieter Loos"), branches("Meridia", 95, 1_300, "Giulia Ferri")),
        (branches("Avalon", 60, 800, "Pieter Loos"), branches("Meridia", 95, 800, "Giulia Ferri")),
        (avalanche("Valmaira", "Sunday"), avalanche("Serrat", "Saturday")),
    ],
    ids=["names that begin sentences", "a figure in common by chance", "no figures"],
)
def test_c19_other_names_in_the_same_words_are_another_event(first: tuple[str, str], second: tuple[str, str]):
    assert members(item("first", first), item("second", second)) == {
        frozenset({"first"}),
        frozenset({"second"}),
    }


HARBOUR = (
    "Port of Dunmore opens its new quay",
    "Ships berthed at the new quay of Dunmore for the first time on Monday. Harbour master Edda Kruse expects 900 ships a year.",
)
COMMON_WORDS = (
    MINES,
    branches("Avalon", 60, 800, "Pieter Loos"),
    avalanche("Valmaira", "Sunday"),
    HARBOUR,
)


def test_common_words_alone_do_not_hold_a_story_together():
    """A cluster is judged as a whole: in a chain, each report is like the next."""
    items = [item(str(number), report) for number, report in enumerate(COMMON_WORDS)]
    items.append(item("reworded", REWORDED))
    labels = np.zeros(len(items), dtype=np.int64)
    for by_words in (True, False):
        *single, reworded = split_by_names(items, labels, by_words=by_words).tolist()
        assert len(set(single)) == len(COMMON_WORDS)
        assert reworded == single[0]


def test_what_meaning_joined_across_languages_is_not_judged_by_common_words():
    items = [item(str(number), report) for number, report in enumerate(COMMON_WORDS)]
    items.append(replace(item("translated", REWORDED), language="ru"))
    labels = np.zeros(len(items), dtype=np.int64)
    assert split_by_names(items, labels).tolist() == labels.tolist()


def test_a_hundred_daily_reports_are_no_story():
    text = "This is the price report of the Post. Wheat closed {} percent higher than the day before, in quiet trade at Dunmore."
    days = [
        item(f"{n}", (f"Dunmore Post daily prices, {n % 31 + 1} March: wheat up", text.format(n)))
        for n in range(124)
    ]
    labels = split_by_names(days, np.zeros(len(days), dtype=np.int64), by_words=True)
    assert max(Counter(labels.tolist()).values()) == 4


def bare(key: str, title: str) -> StoryItem:
    return StoryItem(id=key, title=title, published_at=DAY, language="en", is_bare=True)


def test_g13_headlines_of_pages_that_could_not_be_read_open_no_story_but_join_one():
    headlines = [bare("a", "Bank to close 60 branches"), bare("b", "Bank to close 95 branches")]
    assert members(*headlines) == {frozenset("a"), frozenset("b")}
    assert members(headlines[0], bare("c", "Bank to close 60 branches")) == {frozenset("ac")}
    mines = [item("first", MINES), item("second", REWORDED)]
    joining = bare("joins", "Harwick Mining to buy Tollan Metals for 340 million")
    assert members(*mines, joining) == {frozenset({"first", "second", "joins"})}
