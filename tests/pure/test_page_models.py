"""What pages decide: cards of stories, related stories, what is new, marked texts, texts side by side."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.web.pages.analyst.document import (
    attribute_records,
    paragraphs,
    place_records,
    unexplained,
    with_names,
    without_markup,
)
from headwater.web.pages.analyst.map import hot_spots, legend_of, sorted_spots, stories_without_country
from headwater.web.pages.analyst.map_view import MARGIN, WORLD, view_around
from headwater.web.pages.analyst.marked_text import aligned_rows, marked_parts, without_beginning
from headwater.web.pages.analyst.story import related_stories
from headwater.web.pages.analyst.story_cards import coverage_points, hottest_first, story_card

NOW = datetime(2026, 11, 13, 12, tzinfo=UTC)
times = st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31)).map(
    lambda moment: moment.replace(tzinfo=UTC)
)


def story_row(number: int, title: str, **fields):
    row = {
        "id": str(number), "recipe": "news", "title": title, "summary": "", "size": 1, "score": None, "first_at": NOW,
        "last_at": NOW, "attributes": {},
    }  # fmt: skip
    return row | fields


@given(st.lists(times, max_size=50))
def test_coverage_counts_every_document_once(moments: list[datetime]):
    assert sum(coverage_points(moments)) == len(moments)


def test_a_card_folds_the_versions_under_the_newest_and_counts_publishers_once():
    members = [
        {"id": str(number), "title": f"Version {number}", "publisher": "Wire", "language": "en", "created_at": NOW,
         "published_at": NOW + timedelta(hours=number)}
        for number in range(12)
    ]  # fmt: skip
    card = story_card(story_row(1, "Dam", size=12, score=1.4), members, NOW)
    assert card["versions"][0]["title"] == "Version 11"
    assert len(card["versions"]) == 8
    assert card["publishers"] == ["Wire"]
    assert card["heat"] == 1.0


def test_the_hottest_story_comes_first_and_size_decides_where_there_is_no_heat():
    cards = [
        story_card(story_row(1, "cool", score=0.1), [], NOW),
        story_card(story_row(2, "hot", score=0.9), [], NOW),
        story_card(story_row(3, "large", size=9), [], NOW),
        story_card(story_row(4, "small"), [], NOW),
    ]
    assert [card["title"] for card in hottest_first(cards)] == ["hot", "cool", "large", "small"]


def test_related_stories_share_rare_words_and_never_are_the_story_itself():
    cards = [
        story_card(story_row(number, title), [], NOW)
        for number, title in enumerate(
            ["Karsten reservoir dispute grows", "Karsten reservoir filling begins", "Bus drivers strike"]
        )
    ]
    assert [card["title"] for card in related_stories(cards[0], cards)] == [
        "Karsten reservoir filling begins"
    ]


def test_a_snippet_does_not_say_its_title_again():
    text = "## Dam opens: The dam opened."
    assert without_beginning(text, [(3, 6), (18, 21)], "Dam opens") == ("The dam opened.", [(4, 7)])
    for title in ("", "Da", "Dam opens: The dam opened."):
        assert without_beginning(text[3:], [(0, 3)], title) == (text[3:], [(0, 3)])


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=6))
def test_marked_parts_are_the_whole_text(text: str, places: list[tuple[int, int]]):
    parts = marked_parts(text, sorted(places))
    assert "".join(part["text"] for part in parts) == text


sentences = st.lists(
    st.sampled_from(["The dam opened.", "Two gates opened on Friday.", "It rains.", "No."]), max_size=8
)


@given(sentences, sentences)
def test_texts_side_by_side_keep_every_sentence_on_its_side(left: list[str], right: list[str]):
    rows = aligned_rows(" ".join(left), " ".join(right))
    for side, texts in (("left", left), ("right", right)):
        written = [" ".join(part["text"] for part in row[side]) for row in rows]
        assert [text for text in written if text] == texts


def test_a_changed_word_is_marked_on_both_sides():
    (row,) = aligned_rows("Two gates opened on Thursday.", "Two gates opened on Friday.")
    assert row["kind"] == "changed"
    assert [part["text"] for part in row["left"] if part["is_marked"]] == ["Thursday."]
    assert [part["text"] for part in row["right"] if part["is_marked"]] == ["Friday."]


def test_hot_spots_are_countries_that_exist_and_the_others_are_listed():
    stories = [
        story_row(1, "Dam", score=0.8, attributes={"countries": ["PE", "ZZ"]}),
        story_row(2, "Vote", score=0.4, attributes={"countries": ["PE"]}),
        story_row(3, "Strait", score=0.6),
    ]
    (spot,) = hot_spots(stories, {stories[1]["id"]: 3})
    assert (spot["name"], spot["count"], spot["level"], spot["new"]) == ("Peru", 2, 4, 3)
    assert [story["title"] for story in stories_without_country(stories)] == ["Strait"]
    rows = [
        story_row(number, "Dam", score=score, attributes={"countries": [code]})
        for number, (code, score) in enumerate((("PE", 0.9), ("BR", 0.89), ("CL", 0.7)))
    ]
    spots = hot_spots(rows, {rows[2]["id"]: 1})
    assert [spot["level"] for spot in spots] == [4, 4, 1]
    assert [item["least"] for item in legend_of(spots)] == [0.7, 0.89]
    assert [spot["code"] for spot in sorted_spots(spots, "new", "desc")] == ["CL", "PE", "BR"]


def test_the_map_shows_the_part_around_the_hot_spots():
    view = view_around(["M500 100l10 0 0 10zM520 120l2 2"])
    assert view.left <= 500 - MARGIN
    assert view.top <= 100 - MARGIN
    assert view.left + view.width >= 522 + MARGIN
    assert view.width < WORLD.width
    assert view_around([]) == WORLD
    assert view_around(["M0 0l1000 450"]) == WORLD


def test_attributes_are_named_by_their_path():
    records = list(
        attribute_records({"grant": {"amount": "6.000 euros", "steps": ["apply"]}, "charset": "utf-8"})
    )
    assert [record["name"] for record in records] == ["grant.amount", "grant.steps.0"]


def test_blocks_of_a_text_are_headings_lists_quotes_and_paragraphs_without_markup():
    text = "# A title\n\n- **one:** [words](http://a.example)\n- two\n\n> said\n\nPlain."
    assert [(block["kind"], block["lines"]) for block in paragraphs(text)] == [
        ("heading", ["A title"]),
        ("list", ["one: words", "two"]),
        ("quote", ["said"]),
        ("text", ["Plain."]),
    ]


@given(st.text("ab[]()*", max_size=30))
def test_text_without_marks_of_links_stays_as_it_is(line: str):
    if "](" not in line and "**" not in line:
        assert without_markup(line) == line
    assert len(without_markup(line)) <= len(line)


def test_a_value_that_is_the_id_of_a_subject_is_shown_by_its_name():
    attributes = {"flashpoint": "f1", "steps": [{"full_text": "Go"}], "field_places": [{"passage": "hidden"}]}
    records = with_names(attribute_records(attributes), {"f1": "Kelmar Strait"})
    assert [(record["name"], record["label"], record["value"]) for record in records] == [
        ("flashpoint", "flashpoint", "Kelmar Strait"),
        ("steps.0.full_text", "steps › 1 › full text", "Go"),
    ]


def test_a_field_that_a_recipe_explains_is_shown_once_with_its_passages_and_not_again_as_a_tree():
    attributes = {
        "field_places": [
            {"field": "tasas", "value": "12 €; 3 €", "attribute": "procedures", "place": "p[2]", "passage": "12 €", "by": "rule"},
            {"field": "tasas", "value": "12 €; 3 €", "attribute": "procedures", "place": "p[3]", "passage": "3 €", "by": "rule"},
            {"field": "base_legal", "place": "page 2", "passage": "", "by": "model"},
        ],
        "procedures": [{"document": {"tasas": ["12 €", "3 €"]}}],
        "review": ["homepage"],
    }  # fmt: skip
    fees, law = place_records(attributes)
    assert (fees["label"], fees["value"], fees["by"]) == ("tasas", "12 €; 3 €", "rule")
    assert [passage["name"] for passage in fees["passages"]] == [
        "field_places.0.passage",
        "field_places.1.passage",
    ]
    assert (law["label"], law["value"], law["by"]) == ("base legal", "", "model")
    assert [record["name"] for record in attribute_records(unexplained(attributes))] == ["review.0"]
