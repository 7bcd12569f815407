"""What syndication changes: markup leftovers, boilerplate and datelines of other publishers and languages."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.dedupe_stream import dedupe_stream

from headwater.documents.dedupe.articles import Article
from headwater.documents.dedupe.comparison import RepeatedSentences, compare
from headwater.documents.dedupe.measures import edit_distance
from headwater.documents.dedupe.page import dateline_length, page_of, strip_markup

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
STORY = (
    "The harbour of Dunmore opened again on Monday after three days of storm, the port office said. Some 41 ships had "
    "been waiting in the bay.\n\nFour tugs brought the largest of them in first. Fuel is short in the islands, where "
    "pumps had run dry by Sunday. The pilots worked without a break until the evening tide.\n\nDamage to the eastern "
    "mole is put at 6 million. Repairs begin in June and will take 14 weeks, said the engineer in charge, Nerys Quarles."
)
NOTICE = "The Bank of Corvale said it would not act in the money market this morning."


def article(key, body, hours=0.0, **fields):
    return Article(id=key, body=body, published_at=NOON + timedelta(hours=hours), **fields)


def test_markup_leftovers_do_not_count_but_a_ticker_stays():
    assert strip_markup("<p>Brindle <b>Foods</b> <BRF> &amp; Co</p>") == "\nBrindle Foods <BRF> & Co\n"
    with_markup = "<p>" + STORY.replace("\n\n", "</p>\n<p class='x'>").replace(", ", ",&nbsp;") + "</p><br/>"
    verdict = compare(article("a", STORY), article("b", with_markup, 2))
    assert (verdict.relation, verdict.score) == ("duplicate", 1.0)


@pytest.mark.parametrize(
    "head",
    [
        "LONDON, March 3 (Agency) -- ",
        "MOSCOW, February 6. /WIRE/. ",
        "MADRID, 4 mar (Estuario) - ",
        "Sevilla, 4 de marzo de 2026 (Estuario) \u2013 ",
        "(DUNMORE) - ",
        "Paris: ",
    ],
)
def test_datelines_of_many_publishers_are_recognised(head):
    assert dateline_length(head + STORY) == len(head)


def test_a_label_further_down_is_not_a_dateline():
    assert dateline_length("Shr 76 cents vs 84 cents\nNet 7,357,000\nNote: prior year restated.") == 0


def test_what_one_publisher_repeats_counts_on_neither_side():
    """The copy of another publisher contains background that only the first publisher repeats."""
    background = STORY.split("\n\n", 1)[1]
    first = article("a", STORY, publisher="Wire")
    repeated_hashes = frozenset(page_of(article("x", background)).sentences.hashes)
    lead = STORY.split("\n\n", 1)[0] + " The mayor thanked the crews, who had slept in the town hall."
    one_sided = compare(
        first,
        article("b", f"{lead}\n\n{background}", 2, publisher="Post"),
        RepeatedSentences(repeated_hashes, ()),
    )
    assert one_sided.relation == "duplicate"
    assert one_sided.evidence["later_length"] < 60


@pytest.mark.parametrize(
    "surroundings",
    [
        ("", "\n\nSuscr\u00edbete a nuestro bolet\u00edn. Todos los derechos reservados."),
        ("Artikel teilen\nVer\u00f6ffentlicht vor 2 Stunden\n\n", "\n\nAlle Rechte vorbehalten."),
        ("By Marek Tolland\nStaff writer\n\n", ""),
        ("OSTWICK, 4 mar (Estuario) - ", ""),
    ],
)
def test_c20_a_short_notice_is_found_in_the_boilerplate_of_another_publisher(surroundings):
    first = article("a", NOTICE, title="Bank stays out", publisher="Wire")
    copy = article(
        "b", surroundings[0] + NOTICE + surroundings[1], 3, title="Bank stays out", publisher="Post"
    )
    assert compare(first, copy).relation == "duplicate"


def test_c23_the_same_notice_next_week_is_new_whatever_surrounds_it():
    footer = "\n\nSign up for our evening letter and never miss a story. Reproduction without written consent is forbidden."
    weekly = [
        article(f"k{week}", NOTICE + footer, 168 * week, title="Bank stays out", publisher="Wire")
        for week in range(8)
    ]
    assert [decision.duplicate_of for decision in dedupe_stream(weekly)] == [None] * 8


def test_c23_two_stubs_with_other_titles_are_two():
    verdict = compare(
        article("a", "-1", title="Buffalo are back"), article("b", "-1", 1, title="Film on hooligans")
    )
    assert (verdict.relation, verdict.rule) == ("new", "title-replaced")


def test_c23_news_on_an_old_background_is_linked_not_blocked():
    background = "\n\n".join(
        f"{place} waits. {STORY.replace('Dunmore', place)}" for place in ("Arden", "Belmont", "Corvale")
    )
    news = (
        "The owners of two of the ships took the port office to court on Tuesday and asked for damages, because pilots had "
        "refused to come aboard although the wind was already dropping. A judge will hear both sides next week. Lawyers "
        "for the office answered that nobody can be made to risk his life, and that the rules were clear on that point."
    )
    old = article(
        "a",
        f"{'The minister spoke of a hard winter for the whole coast. ' * 8}\n\n{background}",
        title="Minister speaks",
    )
    verdict = compare(old, article("b", f"{news}\n\n{background}", 20, title="Owners go to court"))
    assert verdict.evidence["later_coverage"] > 0.8
    assert verdict.relation == "related"


def test_a_transposition_is_one_edit():
    assert edit_distance("divers", "dievrs", 1) == 1
    assert edit_distance("divers", "rivers", 2) == 1
    assert edit_distance("abc", "cab", 3) == 2


def test_edit_distance_is_symmetric_and_zero_only_for_equal_words():
    generator = random.Random(4)
    words = ["".join(generator.choices("abc", k=generator.randint(1, 5))) for _ in range(60)]
    for first, second in zip(words[::2], words[1::2], strict=True):
        assert edit_distance(first, second, 9) == edit_distance(second, first, 9)
        assert (edit_distance(first, second, 9) == 0) == (first == second)
