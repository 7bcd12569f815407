"""Names in text: rules by length, confidences, overlaps, offsets."""

import pickle
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.mentions.find_mentions import FindMentions
from headwater.documents.mentions.folding import ALL_SCRIPTS, CASED_WORDS, LITERAL, WORDS
from headwater.documents.mentions.matcher import build_matcher
from headwater.model.document import Document, Mention
from headwater.model.recipe import StepContext
from headwater.model.subject import Alias


def names_found(text: str, *names: str, profile: str = "words") -> list[str]:
    """The matched parts of the text, in order."""
    mentions = build_matcher([Alias(name, "subject") for name in names], profile).find(text)
    return [text[start:end] for mention in mentions for start, end in mention.offsets]


def test_r77_names_of_every_kind_lead_to_their_subject() -> None:
    matcher = build_matcher(
        [
            Alias("Quillmark", "q"),
            Alias("QLMK", "q", "ticker"),
            Alias("Orrin Harbour Holdings plc", "o", "legal_name"),
            Alias("Tidewise", "o", "brand"),
        ]
    )
    assert {m.subject: m.count for m in matcher.find("Quillmark (QLMK) buys Tidewise.")} == {"q": 2, "o": 1}


@pytest.mark.parametrize(
    ("text", "places"),
    [("GE rose", ["GE"]), ("ge rose", []), ("GEAR rose", []), ("the AGE", []), ("GE’s", ["GE"]), ("GEs", [])],
)
def test_r78_one_or_two_characters_are_case_sensitive_words(text: str, places: list[str]) -> None:
    assert names_found(text, "GE") == places


@pytest.mark.parametrize(
    ("text", "places"),
    [("IBM", ["IBM"]), ("ibm.", ["ibm"]), ("IBMs", []), ("ibmx", []), ("x ibm's", ["ibm"]), ("AIBM", [])],
)
def test_r79_three_or_four_characters_are_words_in_any_case(text: str, places: list[str]) -> None:
    assert names_found(text, "IBM") == places


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("intelligence", []),
        ("Intel's, Intel’s, INTEL", ["Intel", "Intel", "INTEL"]),
        ("two Intels and INTELS", ["Intel", "INTEL"]),
        ("Inteles", ["Intel"]),
        ("Intelsat", []),
        ("_Intel_ and **Intel**", ["Intel", "Intel"]),
    ],
)
def test_r80_from_five_characters_plural_and_possessive_match_too(text: str, places: list[str]) -> None:
    assert names_found(text, "Intel") == places


def test_r80_compat_finds_long_names_inside_words_and_short_ones_not() -> None:
    assert names_found("intelligence", "Intel", profile="compat") == ["intel"]
    assert names_found("IBMs", "IBM", profile="compat") == []
    with pytest.raises(ValueError, match="unknown profile"):
        build_matcher([], "loose")


@pytest.mark.parametrize(
    ("kind", "confidence"), [("identifier", 0.9), ("legal_name", 0.85), ("alias", 0.7), ("brand", 0.6)]
)
def test_r81_the_confidence_depends_on_the_kind_of_name(kind: str, confidence: float) -> None:
    (mention,) = build_matcher([Alias("Quillmark", "q", kind)]).find("Quillmark")
    assert (mention.kind, mention.confidence) == (kind, confidence)


def test_r81_an_alias_may_bring_its_own_confidence() -> None:
    (mention,) = build_matcher([Alias("Quillmark", "q", "alias", 0.33)]).find("Quillmark")
    assert mention.confidence == 0.33


def test_r82_highest_confidence_is_kept_and_counts_are_summed() -> None:
    matcher = build_matcher([Alias("Quillmark", "q", "brand"), Alias("QLMK", "q", "identifier")])
    (mention,) = matcher.find("Quillmark, Quillmark, QLMK")
    assert mention == Mention("q", "identifier", 0.9, 3, ((0, 9), (11, 20), (22, 26)))


def test_r83_step_sets_mentions_with_offsets_and_a_version_of_the_names() -> None:
    matcher = build_matcher([Alias("Quillmark", "q"), Alias("Tidewise", "t")])
    step = FindMentions(matcher)
    document = Document(
        id="d",
        recipe="r",
        source="s",
        lead="l",
        url="https://x.example/",
        title="Tidewise sold",
        text="Quillmark buys",
    )
    context = StepContext("r", datetime(2026, 11, 2, tzinfo=UTC), knowledge=None)  # type: ignore[arg-type]
    (after,) = step([document], context)
    assert isinstance(after, Document)
    assert after.mentions == (Mention("q", "alias", 0.7, 1, ((0, 9),)), Mention("t", "alias", 0.7, 1))
    (second_result,) = step([after], context)
    assert isinstance(second_result, Document)
    assert second_result.mentions == after.mentions
    assert step.version != FindMentions(build_matcher([Alias("Quillmark", "q")])).version


def test_of_overlapping_names_the_longest_counts() -> None:
    names = ("Harbour", "Harbour Bank", "Bank of Orrin", "Harbour Bank of Orrin")
    assert names_found("Harbour Bank of Orrin, Harbour Bank and Harbour", *names) == [
        "Harbour Bank of Orrin",
        "Harbour Bank",
        "Harbour",
    ]


def test_a_longer_name_that_fails_its_boundary_does_not_hide_the_shorter() -> None:
    assert names_found("Harbour Bankers", "Harbour", "Harbour Bank") == ["Harbour"]


def test_a_name_of_two_subjects_is_found_for_both() -> None:
    matcher = build_matcher([Alias("Delta", "airline"), Alias("Delta", "river", "brand")])
    assert {m.subject: m.confidence for m in matcher.find("Delta")} == {"airline": 0.7, "river": 0.6}


@pytest.mark.parametrize(
    ("text", "name", "places"),
    [
        ("İİ ß ﬁ Quillmark", "Quillmark", ["Quillmark"]),
        ("İSTANBUL ENERJİ", "İstanbul Enerji", ["İSTANBUL ENERJİ"]),
        ("STRASSE AG, Straße AG", "Straße AG", ["STRASSE AG", "Straße AG"]),
        ("Telefónica", "TELEFÓNICA", ["Telefónica"]),
        ("Ωmegaς ΩΜΕΓΑΣ", "ωμεγας", ["ΩΜΕΓΑΣ"]),
        ("L’Oréal and L'ORÉAL", "L'Oréal", ["L’Oréal", "L'ORÉAL"]),
        ("Orrin\nHarbour", "Orrin Harbour", ["Orrin\nHarbour"]),
        ("Orrin-Harbour, Orrin. Harbour", "Orrin Harbour", []),
        ("ASP.NET", ".NET", [".NET"]),
        ("Wow! Wowed", "Wow!", ["Wow!"]),
        ("BRK.B or BRK-B", "BRK.B", ["BRK.B"]),
        ("今天东芝和Quillmark发布", "东芝", ["东芝"]),
        ("今天东芝和Quillmark发布", "Quillmark", ["Quillmark"]),
        ("\ud800 Quillmark", "Quillmark", ["Quillmark"]),
        (
            "see https://quillmark.example/a or [Quillmark](https://quillmark.example)",
            "Quillmark",
            ["Quillmark"],
        ),
    ],
)
def test_offsets_hold_in_every_script(text: str, name: str, places: list[str]) -> None:
    assert names_found(text, name) == places


def test_names_without_a_letter_are_refused_by_name() -> None:
    matcher = build_matcher([Alias("!!!", "band"), Alias("", "nobody"), Alias("Quillmark", "q")])
    assert {alias.subject for alias in matcher.refused_aliases} == {"band", "nobody"}
    assert [alias.subject for alias in matcher.aliases] == ["q"]


def test_a_matcher_is_pickled_as_its_aliases() -> None:
    matcher = build_matcher([Alias("Quillmark", "q"), Alias("GE", "g", "ticker")], "compat")
    copy = pickle.loads(pickle.dumps(matcher))
    assert (copy, copy.version) == (matcher, matcher.version)
    assert copy.find("GE Quillmarked") == matcher.find("GE Quillmarked") != ()


NAMES = st.lists(st.text("abA-. é", min_size=1, max_size=7), min_size=1, max_size=6)


@given(NAMES, st.randoms())
def test_the_order_of_the_names_changes_nothing(names: list[str], chance) -> None:
    aliases = [Alias(name, name.lower()) for name in names]
    shuffled = chance.sample(aliases, len(aliases))
    first, other = build_matcher(aliases), build_matcher(shuffled)
    assert first.version == other.version
    text = " ".join(names)
    assert first.find(text) == other.find(text)


@given(st.text())
def test_folding_keeps_every_offset(text: str) -> None:
    for table in (WORDS, CASED_WORDS, ALL_SCRIPTS, LITERAL):
        assert len(text.translate(table)) == len(text)


def plain_words(text: str, name: str) -> list[tuple[int, int]]:
    """A slow reference implementation for names and texts of a–c, capitals and spaces."""
    places = []
    for start in range(len(text) - len(name) + 1):
        end = start + len(name)
        piece = text[start:end]
        matches = piece == name if len(name) <= 2 else piece.lower() == name.lower()
        tail = text[end:].split(" ", maxsplit=1)[0].lower()
        allowed = {"", "s", "es"} if len(name) >= 5 else {""}
        if matches and tail in allowed and (start == 0 or text[start - 1] == " "):
            places.append((start, end))
    return places


@given(
    st.text("abesAB ", max_size=60),
    st.from_regex(r"[abesAB]([abesAB ]{0,5}[abesAB])?", fullmatch=True).filter(lambda name: "  " not in name),
)
def test_the_matcher_finds_exactly_what_the_rules_say(text: str, name: str) -> None:
    mentions = build_matcher([Alias(name, "x")]).find(text)
    places = [place for mention in mentions for place in mention.offsets]
    expected = plain_words(text, name)
    assert set(places) <= set(expected)
    assert all(any(a < d and c < b for c, d in places) for a, b in expected)
    assert all(first[1] <= second[0] for first, second in pairwise(places))
