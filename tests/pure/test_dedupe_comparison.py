"""Two articles are duplicates, related or different."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.dedupe.articles import Article
from headwater.documents.dedupe.comparison import RepeatedSentences, compare, compare_views, judge
from headwater.documents.dedupe.measures import edit_distance, is_misspelling, measure
from headwater.documents.dedupe.page import page_of, story_view

BODY = (
    "Calder Steel will close its rolling mill in Arden by the end of June with the loss of 340 jobs, the company said "
    "on Monday. The mill made 120,000 tonnes of plate last year and has not earned a profit since 2021.\n\n"
    "Managing director Greta Olsen said orders from shipyards had fallen by a third and that no buyer had come forward "
    "in eighteen months of search. Workers will be offered places at the Dunmore plant, 60 kilometres away.\n\n"
    "The metalworkers' union called the decision a blow to the town. Its secretary, Hugo Marsh, asked the government to "
    "support a plan for smaller production with 90 workers. A ministry spokesman said the plan would be studied.\n\n"
    "Calder shares closed 2.4 percent higher at 18.60 crowns. Analysts said the closure would save 14 mln crowns a year "
    "from 2027 on, after one-off costs of 22 mln this year."
)
FIRST = Article(
    id="a",
    title="Calder Steel to close Arden mill",
    body=BODY,
    publisher="Wire",
    published_at=datetime(2026, 3, 2, 8, tzinfo=UTC),
)
COUNCILS = [
    "Arden",
    "Corvane",
    "Eskeld",
    "Farrow",
    "Gildane",
    "Hartsel",
    "Iverly",
    "Keswick",
    "Lorrin",
    "Rosby",
    "Selwick",
    "Tarrant",
]
MINUTES, DAYS = timedelta(minutes=40), timedelta(days=9)


def later(body=BODY, after=MINUTES, **fields):
    return replace(
        FIRST, id="b", body=body, published_at=FIRST.published_at + after, **{"publisher": "Post", **fields}
    )


def paragraphs():
    return BODY.split("\n\n")


COPIES = {
    "the same": BODY,
    "other typography": BODY.replace("'", "\u2019").replace("-", "\u2013").upper(),
    "dateline and byline": f"By Ines Falk, Post\n\nARDEN, March 2 (Wire) - {BODY}\n\nCopyright 2026 Post. All rights reserved.",
    "abridged": "\n\n".join(paragraphs()[:2]),
    "other order": "\n\n".join([paragraphs()[0], *reversed(paragraphs()[1:])]),
    "one figure corrected": BODY.replace("340 jobs", "430 jobs"),
    "announced correction": BODY.replace("340 jobs", "1,200 jobs")
    + "\n\nCorrection: an earlier version misstated the number of jobs.",
    "a sentence more": BODY + " The company will publish its half-year report in August.",
    "numbers as words": BODY.replace("eighteen", "18"),
    "lightly reworded": BODY.replace("called the decision", "described the decision as").replace(
        "said the plan", "replied that the plan"
    ),
    "bad scan": BODY.replace("Olsen", "0lsen")
    .replace("company", "cornpany")
    .replace("Marsh", "Morsh")
    .replace("closed", "cl0sed"),
}
OTHERS = {
    "another company": BODY.replace("Calder", "Garnet").replace("Olsen", "Falk").replace("Marsh", "Lund"),
    "another place": BODY.replace("Arden", "Corvale").replace("Dunmore", "Farrow"),
    "other figures": BODY.replace("340", "95").replace("120,000", "48,500").replace("2.4", "1.1").replace("18.60", "7.25").replace("14 mln", "3 mln").replace("22 mln", "9 mln").replace("90", "25"),
}  # fmt: skip


@pytest.mark.parametrize("name", COPIES)
def test_c20_small_changes_are_duplicates(name):
    verdict = compare(FIRST, later(COPIES[name]))
    assert verdict.relation == "duplicate", verdict


@pytest.mark.parametrize(
    "name", ["the same", "other typography", "dateline and byline", "abridged", "other order"]
)
def test_c20_late_copies_are_duplicates(name):
    assert compare(FIRST, later(COPIES[name], after=DAYS)).relation == "duplicate"


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("after", [MINUTES, DAYS])
def test_replaced_names_and_figures_make_another_report(name, after):
    assert compare(FIRST, later(OTHERS[name], after=after)).relation == "new"


def minutes(seed: int, sentences: int) -> str:
    """Minutes in one form: what differs are names, works and costs."""
    draw = Random(seed)
    return " ".join(
        f"The council of {draw.choice(COUNCILS)} {draw.choice(['approved', 'delayed', 'financed'])} the "
        f"{draw.choice(['harbour wall', 'tram depot', 'city archive'])} on {draw.choice(['Monday', 'Friday'])} after "
        f"{draw.choice(COUNCILS)} and its engineers said that the cost had risen to {draw.randint(12, 980)} million "
        f"crowns in the {draw.choice(['first', 'second', 'third'])} quarter of the year."
        for _ in range(sentences)
    )


def test_a_short_text_in_the_form_of_a_long_one_is_not_an_edit_of_it():
    long = replace(FIRST, title="Budget passes in Rosby", body=minutes(0, 12))
    shorts = [later(minutes(seed, 2), title="Tram depot costs more") for seed in range(1, 40)]
    assert [short.body for short in shorts if compare(long, short).relation == "duplicate"] == []


def test_substantial_news_is_related():
    news = (
        "The government offered Calder Steel a loan of 30 mln crowns on Thursday to keep the mill open until a buyer is "
        "found, Economy Minister Esther Quill told parliament after a night of talks. The company said it would study "
        "the terms. Opposition members called the offer too late and asked for the papers of the talks.\n\n"
        "About 2,000 people marched through the town on Wednesday evening. Shops closed early and the mayor spoke of the "
        "largest gathering in forty years.\n\n"
    )
    assert (
        compare(FIRST, later(news + "\n\n".join(paragraphs()[:2]), after=timedelta(days=1))).relation
        == "related"
    )


def test_a_digest_that_contains_the_story_is_not_its_copy():
    digest = "\n\n".join(
        [
            BODY,
            *(
                f"Item {n}: the council of town number {n} met and spoke about roads, schools and the price of water for an hour."
                for n in range(20)
            ),
        ]
    )
    assert compare(FIRST, later(digest)).relation != "duplicate"
    assert compare(later(digest), replace(FIRST, id="c")).relation != "duplicate"


NOTICE = "The central bank said it did not operate in the money market during the morning session today."


def test_the_same_notice_on_another_day_is_new():
    first = replace(FIRST, title="Bank does not operate", body=NOTICE)
    three_weeks_later = replace(first, id="b", published_at=first.published_at + timedelta(days=21))
    assert compare(first, three_weeks_later).relation == "new"
    resent = replace(first, id="b", published_at=first.published_at + timedelta(minutes=5))
    assert compare(first, resent).relation == "duplicate"


def test_short_reports_name_their_subject_in_the_title():
    first = replace(
        FIRST,
        title="GARNET MINING SETS DIVIDEND",
        body="Qtly div 12 cts vs 12 cts prior. Pay April 1. Record March 15.",
    )
    second = replace(
        first, id="b", title="LARKSPUR MOTORS SETS DIVIDEND", published_at=first.published_at + MINUTES
    )
    assert compare(first, second).relation == "new"


def test_slips_in_a_date_are_another_occasion():
    text = "The council of Arden meets on Monday, March {} at 6 in the evening in the town hall. The clerk, Greta Olsen, keeps the list of those who wish to speak. Papers can be read in the library during the week before, and a recording will be kept for a year and a day."
    first = replace(FIRST, body=text.format(9))
    next_week = replace(
        first, id="b", body=text.format(16), published_at=first.published_at + timedelta(days=7)
    )
    assert compare(first, next_week).relation == "new"


def test_boilerplate_that_a_publisher_repeats_does_not_count():
    boilerplate = " ".join(
        f"Our reader service number {n} answers letters about delivery every working day."
        for n in ("one", "two", "three", "four", "five", "six")
    )
    first = replace(
        FIRST,
        body=f"The bridge at Dunmore was painted green last week by four men from the county works.\n\n{boilerplate}",
    )
    second = later(
        f"A rare owl was seen in the park at Farrow by children on their way home from school.\n\n{boilerplate}"
    )
    repeated = RepeatedSentences(page_of(first).sentences.hashes[1:], page_of(second).sentences.hashes[1:])
    assert compare(first, second).relation != "new"
    assert compare(first, second, repeated).relation == "new"


def test_the_few_words_beside_what_publishers_repeat_relate_two_pages_that_have_nothing_else_in_common():
    first = replace(
        FIRST,
        title="Crossing shut for repairs",
        body="The harbour bridge will stay closed until Friday evening. Readers choose what this paper prints and pay for every copy "
        "at their kiosk. Our newsroom works from Lorrin, where ships once unloaded timber, salt and iron. Write with corrections, "
        "letters or pictures; an editor answers within three days. Prices, opening hours and delivery areas stand on page two "
        "of each printed edition.",
    )
    second = later(
        "Engineers say the harbour bridge needs two new bolts. This service lists notices from all towns along the eastern shore each "
        "morning. Listings appear free of charge for clubs, schools, parishes and other associations. Advertisers find rates and "
        "formats in a folder that our office sends by mail. Nobody may copy entries to another site unless permission was "
        "granted beforehand.",
        timedelta(hours=20),
        title="Bolts wanted at Lorrin",
    )
    repeated = RepeatedSentences(page_of(first).sentences.hashes[1:], page_of(second).sentences.hashes[1:])
    assert compare(first, second).relation == "new"
    assert compare(first, second, repeated).relation == "related"


def test_evidence_names_what_was_replaced():
    verdict = compare(FIRST, later(OTHERS["another company"]))
    assert verdict.rule == "names-replaced"
    assert ("Calder", "Garnet") in verdict.evidence["names"]


def test_an_article_without_words_is_compared_with_nothing():
    assert compare(replace(FIRST, body=""), later("")).relation == "new"
    assert compare(FIRST, later("...")).relation == "new"


def test_missing_dates_do_not_make_a_duplicate():
    undated = replace(FIRST, title="Bank does not operate", body=NOTICE, published_at=None)
    assert compare(undated, replace(undated, id="b")).relation != "duplicate"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("company", "cornpany"),
        ("Olsen", "0lsen"),
        ("31.39", "of31.39"),
        ("Ministry", "Minis"),
        ("Brindle", "Brundle"),
    ],
)
def test_misspellings_are_recognised(first, second):
    assert is_misspelling(first, second)
    assert is_misspelling(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [("May", "March"), ("Tuesday", "Thursday"), ("31.39", "31.49"), ("Calder", "Garnet"), ("rose", "fell")],
)
def test_different_facts_are_not_misspellings(first, second):
    assert not is_misspelling(first, second)


def test_edit_distance_stops_at_its_limit():
    assert edit_distance("abc", "abc", 2) == 0
    assert edit_distance("abc", "axc", 2) == 1
    assert edit_distance("abcdef", "uvwxyz", 2) == 3


@pytest.mark.parametrize(
    ("place", "other"), [("Ashford", "Marbury"), ("Port Alba", "Port Vela"), ("北港", "南港")]
)
def test_a_notice_for_another_place_is_another_one_though_the_place_only_begins_sentences(
    place: str, other: str
):
    """A name at the start of every sentence is not recognised by its capital letter."""
    parts = ("first", "second", "third", "fourth", "fifth", "sixth")
    template = " ".join(
        f"{{place}} said that part {part} of the plan for the harbour works began in the morning and would last until the "
        f"evening, while crews of the {part} team cleaned the basin."
        for part in parts
    )
    notice, next_notice = (
        replace(FIRST, id=name, title="Harbour works begin", body=template.format(place=name))
        for name in (place, other)
    )
    assert compare(notice, next_notice).rule == "names-replaced"
    assert compare(notice, next_notice).relation != "duplicate"
    repeated = (
        "The port of {place} opened a new quay for grain ships on Monday, the harbour master said. " * 16
    )
    notice, next_notice = (
        replace(FIRST, id=name, title="A new quay", body=repeated.format(place=name))
        for name in (place, other)
    )
    assert compare(notice, next_notice).relation != "duplicate"


def test_names_spelt_almost_alike_are_one_name_unless_a_publisher_has_both_in_its_titles():
    template = (
        "The council of {place} will close the water main of {place} on Monday. Residents of {place} are asked to store drinking "
        "water before the work begins, and to keep taps closed while the pressure is low. Buses that cross {place} are diverted, "
        "schools stay open and kitchens will serve cold meals until the evening, when the valves are replaced."
    )
    norton, morton = (
        replace(FIRST, id=name, title=f"Water main of {name} closes", body=template.format(place=name))
        for name in ("Norton", "Morton")
    )
    assert compare(norton, morton).relation == "new"
    quiet = (
        replace(norton, title="Water main closes"),
        replace(morton, title="Water main closes", publisher="b"),
    )
    assert compare(*quiet).relation == "duplicate"


WORDS = st.lists(
    st.sampled_from(
        [
            "the",
            "Arden",
            "harbour",
            "port",
            "shut",
            "14",
            "2.5",
            "ships",
            "Calder",
            "rose",
            "fell",
            "mln",
            "May",
        ]
    ),
    max_size=40,
)


@given(WORDS, WORDS, WORDS, WORDS, st.booleans())
def test_articles_that_share_too_little_are_different_by_all_rules(
    title, body, later_title, later_body, recurring
):
    pages = [
        page_of(Article(id="a", title=" ".join(words), body=" ".join(text), published_at=FIRST.published_at))
        for words, text in ((title, body), (later_title, later_body))
    ]
    views = [story_view(page, ()) for page in pages]
    verdict = compare_views(*views, recurring=recurring)
    assert verdict == judge(measure(*views), recurring=recurring)
