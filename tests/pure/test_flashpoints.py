"""Flashpoints and entries from YAML, tables and mappings."""

from pathlib import Path
from uuid import UUID

import pytest
from tests.support.poll_sessions import NOW, make_source, run_session, table

from headwater.extract.html.profiles import registry
from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.outcomes import Drop, ExtractHints, Reading
from headwater.model.recipe import EmptyKnowledge, StepContext
from headwater_recipes.geopolitics import configure, recipe
from headwater_recipes.geopolitics.entries import discover_entries, language_code
from headwater_recipes.geopolitics.flashpoints import flashpoint_id, load_flashpoints
from headwater_recipes.geopolitics.options import AlertOptions, read_alert_rules
from headwater_recipes.geopolitics.steps import TagTopic, assign_flashpoint, flashpoint_of

KNOWN = "0b0f2a86-6a1c-4b0e-9d43-1f2f3c4d5e6f"


def document(**value: object) -> Document:
    return Document(id="d", recipe="geopolitics", source="s", lead="l", url="http://a.example/1", **value)


def test_g1_the_recipe_runs_daily_at_four_in_utc():
    assert recipe().trigger.cron == "0 4 * * *"


def test_g3_an_id_that_is_a_uuid_stays_and_any_other_becomes_one():
    assert flashpoint_id(KNOWN.upper()) == KNOWN
    assert UUID(flashpoint_id("Kelmar Strait")).version == 5
    assert flashpoint_id("Kelmar Strait") == flashpoint_id(" kelmar strait ")


def test_g3_flashpoints_come_from_a_table_with_their_entries_beside_it(tmp_path: Path):
    (tmp_path / "flash_point.csv").write_text(f"id,title,description\n{KNOWN},Strait,About it\n")
    (tmp_path / "entries.csv").write_text("url\nhttp://a.example/1\n")
    watched = load_flashpoints(tmp_path / "flash_point.csv")
    assert [(flashpoint.id, flashpoint.name, flashpoint.kind) for flashpoint in watched.subjects] == [
        (KNOWN, "Strait", "flashpoint")
    ]
    assert [source.options["file"] for source in watched.sources] == [str(tmp_path / "entries.csv")]


def test_g3_one_feed_may_serve_two_flashpoints(tmp_path: Path):
    path = tmp_path / "f.yaml"
    path.write_text(
        "flashpoints: [{title: A, feeds: [http://x.example/f]}, {title: B, feeds: [http://x.example/f]}]"
    )
    watched = load_flashpoints(path)
    assert len({source.id for source in watched.sources}) == 2
    assert {source.subject for source in watched.sources} == {
        flashpoint.id for flashpoint in watched.subjects
    }


def test_g3_two_flashpoints_with_one_id_are_refused(tmp_path: Path):
    path = tmp_path / "f.yaml"
    path.write_text("flashpoints: [{title: A}, {title: a}]")
    with pytest.raises(Refused, match="same id"):
        load_flashpoints(path)


def test_g3_entries_are_leads_with_all_their_fields():
    entry = {
        "id": "e1",
        "url": "http://a.example/1",
        "title": "Title",
        "seendate": "2026-11-12 10:30:00",
        "language": "Chinese",
        "sourcecountry": "Brazil",
        "domain": "a.example",
        "flashpoint_id": KNOWN,
        "description": "About",
    }
    bad = [{"url": "ftp://a.example/"}, {"url": "http://b.example/"}]
    source = make_source("entries", "", options={"entries": [entry, *bad]})
    session = run_session(discover_entries(source, NOW), table({}))
    (lead,) = session.leads
    assert (lead.identity, lead.subject, lead.published.isoformat()) == (
        "e1",
        KNOWN,
        "2026-11-12T10:30:00+00:00",
    )
    assert lead.hints["language"] == "zh"
    assert lead.hints["attributes"] == {"domain": "a.example", "sourcecountry": "Brazil"}
    assert session.codes >= {"entry_without_link", "entry_without_flashpoint"}


def test_g3_an_entry_that_has_its_content_is_not_fetched():
    entry = {"url": "http://a.example/1", "flashpoint": KNOWN, "content": "All of it."}
    (lead,) = run_session(
        discover_entries(make_source("entries", "", options={"entries": [entry]}), NOW), table({})
    ).leads
    assert (lead.body, lead.body_type) == ("All of it.", "text/plain")


def test_g11_a_document_without_a_flashpoint_is_dropped_with_its_reason():
    assert assign_flashpoint.decide(document()) == Drop("no_flashpoint")
    assigned = assign_flashpoint.decide(document(subjects=(KNOWN,)))
    assert isinstance(assigned, Document)
    assert flashpoint_of(assigned) == KNOWN


def test_g15_topics_come_from_a_sure_classifier_else_from_the_publisher():
    context = StepContext("geopolitics", NOW, EmptyKnowledge())
    plain = document(title="t", keywords=("Elections", "Politics"))
    (unsure,) = TagTopic(lambda batch: [("sport", 0.2) for _ in batch])([plain], context)
    (sure,) = TagTopic(lambda batch: [("environmental issue", 0.9) for _ in batch])([plain], context)
    (unknown,) = TagTopic()([document(title="t")], context)
    assert unsure.attributes["topic"]["code"] == "11000000"
    assert sure.attributes["topic"] == {
        "code": "06000000",
        "name": "environment",
        "confidence": 0.9,
        "by": "classifier",
    }
    assert "topic" not in unknown.attributes


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"tier": "D"}, "tier"),
        ({"profile": "reference"}, "tier B"),
        ({"alerts": {"topics": ["astrology"]}}, "astrology"),
        ({"alerts": {"silence": "long"}}, "duration"),
        ({"cron": "never"}, "cron"),
    ],
)
def test_g18_invalid_options_are_refused_with_an_explanation(options: dict[str, object], value: str):
    with pytest.raises(Refused, match=value):
        configure(None, options)


def test_g17_rules_take_names_codes_and_countries():
    rules = read_alert_rules(AlertOptions(topics=("politics",), subjects=("ua", KNOWN)))
    assert rules.topics == {"11000000"}
    assert rules.subjects == {"UA", KNOWN}


def test_g3_languages_are_named_by_code_or_english_name():
    assert [language_code(value) for value in ("pl", "Chinese", "Klingonese")] == ["pl", "zh", ""]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "es",
            "El gobierno anunció ayer que las conversaciones en la frontera continuarán la próxima semana.",
        ),
        ("pl", "Rząd ogłosił wczoraj, że rozmowy na granicy będą kontynuowane w przyszłym tygodniu."),
        ("ar", "أعلنت الحكومة أمس أن المحادثات على الحدود ستستمر الأسبوع المقبل بحضور ممثلين عن الجانبين."),
        ("zh", "政府昨天宣布，边境谈判将于下周继续进行，双方代表都将出席会议并讨论停火问题。"),
    ],
)
def test_g8_the_language_of_an_entry_is_detected_and_overrules_a_wrong_declaration(language: str, text: str):
    (step,) = [step for step in configure(None, {}).steps if step.name == "language"]
    original = Document(id="d", recipe="geopolitics", source="s", lead="l", url="u", text=text * 3)
    mislabelled = original.with_changes(language="fi", origins={"language": "entry"})
    for outcome in step([original, mislabelled], StepContext("geopolitics", NOW, EmptyKnowledge())):
        assert outcome.language == language


def test_g8_the_language_of_a_very_short_text_is_undetermined_unless_declared():
    (step,) = [step for step in configure(None, {}).steps if step.name == "language"]
    short = Document(id="d", recipe="geopolitics", source="s", lead="l", url="u", text="12:30")
    declared = short.with_changes(language="pl", origins={"language": "entry"})
    outcomes = step([short, declared], StepContext("geopolitics", NOW, EmptyKnowledge()))
    assert [outcome.language for outcome in outcomes] == ["und", "pl"]


def test_g6_the_option_extract_reads_pages_with_other_packages_in_turn(monkeypatch: pytest.MonkeyPatch):
    reader = configure(None, {"extract": "cascade"}).extract["text/html"]
    sentence = "The coast guard of Tarn seized tanker number {} in the strait on Monday, its owner said."
    paragraphs = "".join(f"<p>{sentence.format(number)}</p>" for number in range(6))
    page = f"<html><title>Tanker</title><nav><a href=/>Home</a></nav><article>{paragraphs}</article></html>"
    reading = reader(page.encode(), ExtractHints(url="http://paper.example/1", media_type="text/html"))
    assert isinstance(reading, Reading)
    assert (reading.method, list(reading.candidates)) == ("trafilatura", ["trafilatura"])
    assert sentence.format(5) in reading.text
    monkeypatch.setattr(registry, "installed_extractors", lambda: ())
    with pytest.raises(Refused, match=r"headwater\[readers\]"):
        configure(None, {"extract": "cascade"})
    assert configure(None, {}).extract["text/html"] != reader
