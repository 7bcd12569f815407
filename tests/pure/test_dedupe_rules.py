"""Dedupe rules: order, groups, batches and profiles."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.dedupe_stream import dedupe_stream

from headwater.documents.dedupe.articles import Article, publication_order
from headwater.documents.dedupe.deduplicator import Deduplicator
from headwater.documents.dedupe.index import IndexEntry, MemoryIndex
from headwater.documents.dedupe.rules import DEFAULT, MINHASH, PROFILES, TITLES
from headwater.python_api.standalone import dedupe

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
PLACES = ["Arden", "Belmont", "Corvale", "Dunmore", "Eastwick", "Farrow"]
TRADES = ["bakers", "fishermen", "weavers", "printers", "masons", "gardeners"]


def story(number, place="Arden", trade="bakers"):
    return (
        f"The {trade} of {place} voted on Monday to end their strike after {number + 11} days. Under the agreement wages rise by "
        f"{number + 2}.5 percent this year and by {number + 1} percent next year, and nobody will be dismissed for taking part. "
        f"Some {number * 37 + 410} members took part in the vote, held in the old market hall, and {number * 29 + 300} were in favour.\n\n"
        f"The mayor thanked both sides. Talks had broken down twice over the question of night work, which will now be settled "
        f"by a committee of {number + 5} under a retired judge. Deliveries to schools and hospitals began again the same evening."
    )


def article(key, body, hours=0.0, **fields):
    given_fields = {
        "title": "Strike ends",
        "publisher": "Wire",
        "url": f"https://news.example/{key}",
        "guid": key,
    }
    return Article(id=key, body=body, published_at=NOON + timedelta(hours=hours), **(given_fields | fields))


def decide(*articles, profile=DEFAULT):
    return {decision.id: decision for decision in dedupe_stream(articles, profile=profile)}


def test_c16_url_comes_before_guid_before_text():
    first = article("a", story(1), url="https://www.news.example/x", guid="g1")
    same_url = article("b", story(1), 1, url="https://m.news.example/x?utm_source=y", guid="g2")
    same_guid = article("c", story(1), 2, guid="g1")
    same_text = article("d", story(1), 3, publisher="Post")
    decisions = decide(first, same_url, same_guid, same_text)
    assert [decisions[key].rule for key in "abcd"] == ["", "url", "guid", "text"]
    assert {decisions[key].duplicate_of for key in "bcd"} == {"a"}


def test_c16_an_undated_text_is_a_duplicate_under_any_title_unless_it_is_very_short():
    """Without a date nothing says that the same notice was published again."""
    notice = " ".join(story(1).split()[:45])
    first = Article(id="a", body=notice, title="Strike ends")
    second = Article(id="b", body=notice, title="Night work for the bakers")
    assert decide(first, second)["b"].duplicate_of == "a"
    short = [
        Article(id=key, body="No trains today.", title=title)
        for key, title in (("c", "Arden"), ("d", "Farrow"))
    ]
    assert decide(*short)["d"].duplicate_of is None


def test_a_reused_address_links_but_does_not_block():
    first = article("a", story(1), url="https://news.example/today")
    second = article(
        "b",
        "Rain is expected in the valley until Friday, with gusts on the coast and snow above the pass.",
        30,
        url="https://news.example/today",
    )
    decisions = decide(first, second)
    assert decisions["b"].duplicate_of is None
    assert decisions["b"].related_to == ("a",)
    assert decisions["b"].rule == "url-reused"


def test_a_copy_of_a_copy_points_to_the_first():
    body = story(2)
    shorter = body.split("\n\n")[0]
    decisions = decide(
        article("a", body),
        article("b", shorter, 1, publisher="Post"),
        article("c", shorter, 2, publisher="Star"),
    )
    assert decisions["b"].duplicate_of == decisions["c"].duplicate_of == "a"


def test_late_copies_point_to_the_earliest_original():
    decisions = decide(
        article("a", story(3)),
        article("b", story(3), 5, publisher="Post"),
        article("c", story(3), 400, publisher="Star"),
    )
    assert decisions["c"].duplicate_of == "a"


def test_r57_a_duplicate_is_an_edge_with_rule_score_and_evidence():
    decisions = decide(
        article("a", story(4)),
        article("b", story(4) + " The union will report in June.", 1, publisher="Post"),
    )["b"]
    assert decisions.duplicate_of == "a"
    assert decisions.rule == "same-text"
    assert decisions.score > 0.9
    assert decisions.evidence["compared_with"] == "a"


def test_deciding_again_changes_nothing():
    index = MemoryIndex()
    deduplicator = Deduplicator(DEFAULT, index)
    first, copy = article("a", story(1)), article("b", story(1), 1, publisher="Post")
    first_decisions = [deduplicator.add(first), deduplicator.add(copy)]
    second_decisions = [deduplicator.add(first), deduplicator.add(copy)]
    assert first_decisions[1].duplicate_of == second_decisions[1].duplicate_of == "a"
    assert index.original("a") == "a"


def test_deciding_stores_nothing_until_the_entry_is_added():
    index = MemoryIndex()
    deduplicator = Deduplicator(DEFAULT, index)
    _, entry = deduplicator.decide(article("a", story(1)))
    assert isinstance(entry, IndexEntry)
    assert index.article("a") is None
    index.add(entry)
    assert deduplicator.decide(article("b", story(1), 1))[0].duplicate_of == "a"


def test_boilerplate_is_counted_by_story_not_by_copy():
    index = MemoryIndex()
    deduplicator = Deduplicator(DEFAULT, index)
    for number in range(6):
        deduplicator.add(article(f"copy{number}", story(1), number / 10))
    sentences = deduplicator.pages.get(article("x", story(1))).sentences.hashes
    assert index.repeated_sentences("Wire", sentences) == frozenset()
    for number in range(3):
        footer = "Letters to the desk are answered on working days."
        deduplicator.add(
            article(
                f"other{number}",
                f"{story(number + 5, PLACES[number + 1], TRADES[number + 1])}\n\n{footer}",
                50 + 30 * number,
            )
        )
    assert (
        len(index.repeated_sentences("Wire", deduplicator.pages.get(article("y", footer)).sentences.hashes))
        == 1
    )


ARTICLES = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.integers(0, 2),
        st.sampled_from(["whole", "short", "footer"]),
        st.integers(0, 40),
    ),
    min_size=1,
    max_size=10,
)


def edited(body, edit):
    return {
        "whole": body,
        "short": body.rsplit(". ", 1)[0],
        "footer": f"{body}\n\nFollow us for more. All rights reserved.",
    }[edit]


def groups(decisions):
    by_original = {}
    for decision in decisions:
        by_original.setdefault(decision.duplicate_of or decision.id, set()).add(decision.id)
    return sorted(sorted(group) for group in by_original.values())


@settings(max_examples=40, deadline=None)
@given(ARTICLES, st.randoms(use_true_random=False))
def test_order_within_a_batch_does_not_change_the_groups(rows, generator):
    batch = [
        article(
            f"k{position}",
            edited(story(number, PLACES[place], TRADES[number]), edit),
            hours,
            publisher=f"P{position % 3}",
        )
        for position, (number, place, edit, hours) in enumerate(rows)
    ]
    expected = groups(dedupe_stream(sorted(batch, key=publication_order)))
    generator.shuffle(batch)
    assert groups(dedupe_stream(sorted(batch, key=publication_order))) == expected


def test_c16_c18_the_profile_titles_uses_its_own_rules():
    first = article("a", "x" * 1200, title="Strike ends in Arden", guid="1")
    hashed = article(
        "b", "x" * 1000 + "other tail", 1, title=" STRIKE ENDS in Arden ", guid="2", publisher="Post"
    )
    fuzzy = article("c", "Something else", 3, title="Strike ends in Ardem", guid="3")
    too_late = article("d", "Another thing", 40, title="Strike ends in Arden!", guid="4")
    elsewhere = article("e", "A third thing", 3, title="Strike ends in Arden.", guid="5", publisher="Star")
    decisions = decide(first, hashed, fuzzy, too_late, elsewhere, profile=TITLES)
    assert [decisions[key].rule for key in "abcde"] == ["", "title-content", "fuzzy-title", "", ""]


def test_g9_g20_the_profile_minhash_uses_its_own_rules():
    body = story(1)
    decisions = decide(
        article("a", body),
        article("b", body.upper(), 500),
        article("c", body + " Trade resumed.", 900),
        profile=MINHASH,
    )
    assert decisions["b"].rule == "text"
    assert decisions["c"].rule == "minhash"
    assert decisions["c"].score >= 0.8


def test_fuzzy_titles_never_decide_in_the_default_profile():
    first = article("a", story(1), title="Letters to the editor")
    second = article(
        "b",
        "Our readers write about the new bus lanes, the state of the swimming hall and a lost cat named Otto.",
        1,
        title="Letters to the editor",
    )
    assert decide(first, second)["b"].duplicate_of is None


@pytest.mark.parametrize("name", PROFILES)
def test_empty_and_odd_articles_are_accepted(name):
    texts = ["", " ", "\x00\ud800", "word", "\U0001f600" * 50, "a" * 100_000]
    articles = [Article(id=str(number), body=body) for number, body in enumerate(texts)]
    assert {decision.id for decision in dedupe_stream(articles, profile=PROFILES[name])} == {
        str(number) for number in range(len(texts))
    }


def test_the_same_form_for_other_places_is_not_a_copy():
    rows = [
        article(f"p{n}", story(1, place, trade), 30 * n)
        for n, (place, trade) in enumerate(zip(PLACES, TRADES, strict=True))
    ]
    assert all(decision.duplicate_of is None for decision in dedupe_stream(rows))


def test_c21_an_article_is_compared_with_few_of_many_similar_ones():
    """The work for one article is bounded for any number of stored articles, so it takes far less than a second."""
    index = CountingIndex()
    deduplicator = Deduplicator(DEFAULT, index)
    for number in range(300):
        deduplicator.add(article(f"k{number}", story(number % 40), number * 50, publisher=f"P{number}"))
    index.read.clear()
    deduplicator.decide(article("last", story(7, "Belmont", "weavers"), 400_000, publisher="Late"))
    assert 1 <= len(index.read) <= 20


class CountingIndex(MemoryIndex):
    """Records the ids whose texts are requested."""

    def __init__(self):
        super().__init__()
        self.read = []

    def article(self, document):
        self.read.append(document)
        return super().article(document)


def test_the_same_short_text_without_a_date_is_a_duplicate_and_under_another_title_it_is_not():
    texts = [("One", "Port closed."), ("One", "Port closed."), ("Other", "Port closed.")]
    verdicts = dedupe([{"title": title, "text": text, "published_at": "soon"} for title, text in texts])
    assert [verdict.duplicate_of for verdict in verdicts] == [None, "0", None]
