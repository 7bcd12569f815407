"""What changed in a story since a time, and the language in which a story is shown."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.model.document import Document
from headwater.model.recipe import Cluster
from headwater.stories.changes import StoryReport, changes_record, story_changes
from headwater.stories.reader_language import documents_to_read, reader_language, with_readable_titles

TODAY = datetime(2026, 11, 13, tzinfo=UTC)
COLLAPSE = (
    "A road bridge over the river Orsa at Vennick collapsed at rush hour. Nine people were killed. "
    "The bridge was built in 1958."
)
TOLL = (
    "A road bridge over the river Orsa at Vennick collapsed at rush hour. "
    "The number of people killed at the bridge has risen to 14. "
    "Prosecutors searched the offices of the road administration."
)


def report(name: str, hours: float, text: str, language: str = "en", publisher: str = "Wire") -> StoryReport:
    return StoryReport(
        id=name,
        title=name,
        text=text,
        publisher=publisher,
        language=language,
        at=TODAY + timedelta(hours=hours),
    )


def test_new_reports_publishers_and_statements_are_told_apart_from_earlier_ones():
    reports = [
        report("a", -20, COLLAPSE),
        report("c", 3, "Die Brücke von Vennick ist eingestürzt.", "de", "Kurier"),
        report("b", 2, TOLL, publisher="Post"),
    ]
    changed = story_changes(reports, TODAY)
    assert changed.reports_before == 1
    assert [new.id for new in changed.new_reports] == ["b", "c"]
    assert (changed.new_publishers, changed.new_languages) == (("Kurier", "Post"), ("de",))
    assert [statement.text for statement in changed.statements] == [
        "The number of people killed at the bridge has risen to 14.",
        "Prosecutors searched the offices of the road administration.",
    ]
    assert {statement.documents for statement in changed.statements} == {("b",)}


def test_a_sentence_with_another_figure_is_new_though_its_words_are_known():
    before, after = "The lead of Quell is 4,100 votes today.", "The lead of Quell is 2,900 votes today."
    changed = story_changes([report("a", -1, before), report("b", 1, after), report("c", 2, before)], TODAY)
    assert [statement.text for statement in changed.statements] == [after]


def test_statements_are_in_the_language_of_the_reader_if_there_are_new_reports_in_it():
    reports = [
        report("a", 1, TOLL),
        report("b", 2, "Vierzehn Menschen starben beim Einsturz der Brücke.", "de"),
    ]
    assert story_changes(reports, TODAY, ("de", "en")).statements[0].text.startswith("Vierzehn")
    assert story_changes(reports, TODAY, ("fr",)).language == "de"


def test_nothing_changed_without_new_reports():
    changed = story_changes([report("a", -1, COLLAPSE)], TODAY)
    assert (changed.new_reports, changed.statements, changed.language) == ((), (), "")
    assert changes_record(changed)["reports_before"] == 1
    assert story_changes([], TODAY).reports_before == 0


@given(st.permutations([report(name, hours, TOLL) for name, hours in (("a", -2), ("b", 1), ("c", 1))]))
def test_the_order_of_the_reports_does_not_matter(reports: list[StoryReport]):
    assert story_changes(reports, TODAY) == story_changes(sorted(reports, key=lambda item: item.id), TODAY)


def document(name: str, language: str) -> Document:
    return Document(
        id=name, recipe="r", source="s", lead="l", url="u", title=f"Title {name}", language=language
    )


def test_readers_get_their_first_language_that_the_story_has_else_the_most_frequent():
    assert reader_language(["ru", "de", "ru", "en"], ("es", "de", "en")) == "de"
    assert reader_language(["ru", "de", "ru", ""], ("es",)) == "ru"
    assert reader_language(["", ""], ("es",)) == ""
    documents = [document("a", "ru"), document("b", "de"), document("c", "ru")]
    assert [item.id for item in documents_to_read(documents, ("en",))] == ["a", "c"]
    assert documents_to_read([document("a", "")], ("en",)) == (document("a", ""),)


def test_a_story_has_a_title_in_the_language_of_its_readers():
    documents = [document("a", "ru"), document("b", "en"), document("c", "ru")]

    def cluster(_: object) -> list[Cluster]:
        return [Cluster("Title a", ((0, 0.9), (1, 0.8))), Cluster("Title c", ((2, 1.0),))]

    stories = with_readable_titles(cluster, ("en",))(documents)
    assert [story.title for story in stories] == ["Title b", "Title c"]


def test_a_story_is_not_called_an_update_of_a_report_that_it_has():
    unmarked, marked = document("a", "en"), replace(document("b", "en"), title="UPDATE: Title a")

    def cluster(_: object) -> list[Cluster]:
        return [Cluster("UPDATE: Title a", ((1, 0.9), (0, 0.8)))]

    assert [story.title for story in with_readable_titles(cluster, ("en",))([unmarked, marked])] == [
        "Title a"
    ]
    alone = with_readable_titles(cluster, ("en",))([replace(unmarked, title="Other"), marked])
    assert [story.title for story in alone] == ["UPDATE: Title a"]
