"""Clean text: what goes, what stays, and that cleaning twice changes nothing."""

import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.cleaning.clean import Clean, CleaningRules, clean_text
from headwater.documents.cleaning.encoding import repair_text, resolve_entities
from headwater.model.document import Document
from headwater.model.recipe import StepContext
from headwater.text.mojibake import fix_mojibake

STORY = (
    "The harbour reopened on Monday after a week of fog, and the ferries sailed again.\n\n"
    "Fares stay at nine crowns until the spring, the harbour master told the council."
)


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ("EspaÃ±a y la peticiÃ³n", "España y la petición"),
        ("l\u2019aÃ±o pasado, cafÃ© y mÃºsica", "l\u2019año pasado, café y música"),
        ("donâ€™t wait", "don’t wait"),
        ("Garc\u00c3\u00ada", "García"),
        ("NiÃ±os", "Niños"),
    ],
)
def test_p18_mojibake_becomes_the_letter_that_was_meant(broken: str, mended: str) -> None:
    assert clean_text(broken).text == mended


@pytest.mark.parametrize(
    "text", ["España, año, ñandú", "ÂME, À la carte, Über", "São João", "Ñ", "naïve café «ça»"]
)
def test_p18_intact_text_is_left_alone(text: str) -> None:
    assert fix_mojibake(text) == (text, 0)


def test_p18_entities_are_decoded_even_if_escaped_twice_but_not_in_urls() -> None:
    assert clean_text("Fish &amp;amp; chips &lt;now&gt; caf&eacute;").text == "Fish & chips <now> café"
    assert resolve_entities("https://x.example/?a=1&copy=2&para=3") == "https://x.example/?a=1&copy=2&para=3"


def test_p18_text_is_normalised_and_keeps_its_paragraphs() -> None:
    assert (
        clean_text("Cafe\u0301  is\u00a0open\t now \r\n\r\n\r\n\r\n second\u200b one. ").text
        == "Café is open now\n\nsecond one."
    )


def test_p18_repeated_paragraphs_keep_the_first() -> None:
    text = f"{STORY}\n\n{STORY}\n\nA last word from the pilots, who were not asked."
    cleaned = clean_text(text)
    assert cleaned.text == f"{STORY}\n\nA last word from the pilots, who were not asked."
    assert cleaned.changes["repeats"] == 2


def test_r69_lines_of_a_template_stay_once() -> None:
    rows = "\n\n".join(f"Ferry number {n} leaves early.\nBook at the harbour office today" for n in range(4))
    assert clean_text(rows).text.count("Book at the harbour office") == 1
    assert clean_text(rows).text.count("leaves early") == 4


@pytest.mark.parametrize(
    "line",
    [
        "© 2026 Orrin Harbour Ltd. All rights reserved.",
        "Copyright 2026 The Tide",
        "Todos los derechos reservados",
        "Subscribe to our weekly newsletter",
        "Suscríbete a nuestro boletín semanal y no te pierdas nada",
        "Subscriu-te al nostre butlletí",
        "Abonnez-vous à notre newsletter !",
        "Melden Sie sich für unseren Newsletter an",
        "Share this article on Facebook or by e-mail",
        "Comparte esta noticia en WhatsApp",
        "**Condividi su Facebook**",
        "Follow us on Instagram",
    ],
)
def test_r69_residual_boilerplate_is_removed(line: str) -> None:
    first, last = STORY.split("\n\n")
    cleaned = clean_text(f"{first}\n\n{line}\n\n{last}")
    assert cleaned.text == STORY
    assert cleaned.changes == {"boilerplate": 1}


@pytest.mark.parametrize(
    "line",
    [
        "Compartir piso en Madrid es caro.",
        "Copyright law is changing across Europe.",
        "(c) the applicant shall pay the fee.",
        "Share prices fell by a fifth on Monday.",
        "Register with the harbour office by e-mail before noon.",
        "Recibe una carta por correo cada año.",
        "Subscribe to the newsletter, he used to say. Nobody ever did, and the paper closed.",
        "Follow us into the harbour, the pilot radioed.",
    ],
)
def test_r69_sentences_that_begin_like_prompts_stay(line: str) -> None:
    text = f"{STORY}\n\n{line}\n\nThe council meets again in a month."
    assert clean_text(text).text == text


@pytest.mark.parametrize("line", ["Share", "Leer más", "* * *", "»", "Advertisement", "## Menu"])
def test_r69_short_orphan_lines_are_removed(line: str) -> None:
    first, last = STORY.split("\n\n")
    assert clean_text(f"{first}\n\n{line}\n\n{last}").text == STORY


def test_r69_a_heading_at_the_end_without_text_is_removed() -> None:
    assert clean_text(f"{STORY}\n\nRelated Stories").text == STORY


def test_r69_the_last_of_several_short_lines_stays() -> None:
    text = f"{STORY}\n\nBring with you:\n\nPassport\n\nBirth certificate"
    assert clean_text(text).text == text


@pytest.mark.parametrize("heading", ["Requisitos", "## Plazo", "Documentación necesaria", "- DNI", "2026"])
def test_r69_headings_with_text_under_them_stay(heading: str) -> None:
    text = f"{STORY}\n\n{heading}\n\nThe form has to be handed in at the harbour office."
    assert clean_text(text).text == text


def test_most_of_a_document_is_never_removed() -> None:
    text = "Subscribe to our newsletter\n\nShare this article\n\nIt rained."
    cleaned = clean_text(text)
    assert cleaned.text == text
    assert cleaned.changes == {"refused": 1}


def test_cleaning_rules_can_be_changed() -> None:
    text = f"{STORY}\n\nNota: Marés de Orrin"
    assert clean_text(text, CleaningRules(patterns=("nota: marés",))).text == STORY
    assert clean_text(f"{STORY}\n\nShare", CleaningRules(orphans=False)).text == f"{STORY}\n\nShare"
    repeated = f"{STORY}\n\n{STORY}"
    assert clean_text(repeated, CleaningRules(repeats=False)).text == repeated


PIECES = st.sampled_from(
    [
        "The ferries sailed again.",
        "A paragraph that is long enough to count.",
        "Share",
        "© 2026 Orrin",
        "Subscribe to our newsletter",
        "Comparte este artículo",
        "EspaÃ±a",
        "&amp;lt;",
        "&amp;",
        "Requisitos",
        "## Title",
        "| a | b |",
        "é",
        "e\u0301",
        "Ã",
        "â€",
        "™",
        "語",
        "\n",
        "\n\n",
        "\n \n",
        " ",
        "\u00a0",
        "\u200b",
        "\r\n",
        "—",
    ]
)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once.text).text == once.text


@given(st.text(max_size=200))
def test_any_text_is_accepted_and_returned_in_nfc(text: str) -> None:
    once = clean_text(text).text
    assert clean_text(once).text == once
    assert unicodedata.is_normalized("NFC", once)
    assert "\n\n\n" not in once
    assert once == once.strip()


@given(st.lists(PIECES, max_size=25).map("".join))
def test_at_least_half_of_a_text_always_stays(text: str) -> None:
    repaired = clean_text(text, CleaningRules(patterns=(), orphans=False)).text
    assert len(clean_text(text).text) >= len(repaired) / 2


def test_hostile_text_is_cleaned_in_linear_time() -> None:
    nested = "&" + "amp;" * 50_000 + "lt;"
    assert repair_text(nested)[0] == "<"
    assert clean_text("\n" + " " * 200_000 + "x").text == "x"
    assert clean_text("Ã " * 20_000).text


def test_the_step_cleans_text_title_and_description_and_notes_its_changes() -> None:
    document = Document(
        id="d",
        recipe="r",
        source="s",
        lead="l",
        url="https://x.example/",
        title="EspaÃ±a &amp; Portugal",
        text=f"{STORY}\n\n© 2026 Orrin",
        description="CafÃ©",
    )
    context = StepContext("r", datetime(2026, 11, 2, tzinfo=UTC), knowledge=None)  # type: ignore[arg-type]
    (after,) = Clean()([document], context)
    assert isinstance(after, Document)
    assert (after.title, after.text, after.description) == ("España & Portugal", STORY, "Café")
    assert after.notes == {"boilerplate": 1}
