"""The texts of the web pages: each has a translation, and each vendored file is what it claims to be."""

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.places.countries import countries
from headwater.fetch.failure_sentences import FAILURE_TEXTS, failure_words
from headwater.ops.alarms.pipeline_rules import LIMITS, silent_subject_problem
from headwater.stories.topics.media_topics import TOPIC_NAMES
from headwater.text.language_names import LANGUAGE_CODES, language_name
from headwater.web.pages.reasons import reason_words
from headwater.web.pages.rendering import Frame, environment, safe_link
from headwater.web.pages.translations import SPANISH, catalogue, choose_language, translate, translate_refusal

PAGES = Path(str(files("headwater.web.pages")))
IN_TEMPLATE = re.compile(r"""\bt\(\s*(?:"([^"]+)"|'([^']+)')""")
PLURAL = re.compile(r"""plural\([^"']*"([^"]+)",\s*"([^"]+)"\)""")
IN_CODE = re.compile(r"""(?:(?<![-\w])(?:message|label)=|translate\(\s*language,\s*)"([^"]+)\"""")
NAME = re.compile(r"\{\w+\}")


def texts_of(folder: Path) -> set[str]:
    texts: set[str] = set()
    for file in folder.rglob("*.html"):
        source = file.read_text(encoding="utf-8")
        texts |= {double or single for double, single in IN_TEMPLATE.findall(source)}
        texts |= {text for pair in PLURAL.findall(source) for text in pair}
    for file in folder.rglob("*.py"):
        texts |= set(IN_CODE.findall(file.read_text(encoding="utf-8")))
    return texts


@pytest.mark.parametrize("package", ["headwater.web.pages", "headwater_recipes.procedures.pages"])
def test_every_text_is_in_the_spanish_catalogue(package: str):
    texts = texts_of(Path(str(files(package))))
    assert texts
    assert texts - set(catalogue(SPANISH, package)) == set()


def test_names_of_countries_languages_and_topics_are_in_the_spanish_catalogue():
    names = {country.name for country in countries().values()} | set(TOPIC_NAMES.values())
    names |= {language_name(code) for code in LANGUAGE_CODES.values()}
    assert names - set(catalogue(SPANISH)) == set()


# What a form or a page can refuse.
REFUSING = (
    "headwater/web/pages", "headwater/web/crash_trial.py", "headwater/web/runs.py", "headwater/web/search_pages.py",
    "headwater/web/security/access.py", "headwater/web/rest/documents.py", "headwater/web/rest/stories.py",
    "headwater/ops/saved_searches.py", "headwater/ops/source_detection.py", "headwater/ops/api_keys.py",
    "headwater/store/changes/alarms.py", "headwater/store/changes/saved_searches.py", "headwater/store/changes/replays.py",
    "headwater/store/changes/api_keys.py", "headwater/settings/times.py", "headwater/search/query.py",
    "headwater/search/saved_searches.py", "headwater/model/run_options.py",
    "headwater_recipes/procedures/knowledge_base/review.py", "headwater_recipes/procedures/commands/review_pages.py",
)  # fmt: skip
SENTENCE_PLACES = {"Refused": 1, "HttpProblem": 2}
VALUE = "5x"
NOON = datetime(2026, 11, 13, 12, tzinfo=UTC)


def refusals_of(file: Path) -> Iterator[str]:
    """The sentences as a reader would get them, with a value wherever they have one."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        place = SENTENCE_PLACES.get(getattr(node.func, "id", "")) if isinstance(node, ast.Call) else None
        sentence = node.args[place] if place and len(node.args) > place else None
        if isinstance(sentence, ast.Constant):
            yield str(sentence.value)
        elif isinstance(sentence, ast.JoinedStr):
            parts = sentence.values
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else VALUE for part in parts)


def test_every_refusal_of_a_page_has_a_spanish_sentence():
    root = Path(str(files("headwater"))).parent
    places = [file for name in REFUSING for file in sorted((root / name).rglob("*.py")) or [root / name]]
    sentences = {sentence for file in places for sentence in refusals_of(file)}
    assert len(sentences) > 50
    package = "headwater_recipes.procedures.pages"
    assert {text for text in sentences if translate_refusal(SPANISH, text, package) == text} == set()


def test_alarms_are_read_in_spanish():
    titles = [limit.title.format(0.5) for limit in LIMITS]
    problem = silent_subject_problem("x", "Oriel", datetime(2026, 11, 16, tzinfo=UTC))
    for sentence in (*titles, problem.title, problem.detail):
        assert translate_refusal(SPANISH, sentence) != sentence


def test_a_refusal_keeps_its_values():
    sentence = "there is a key called 'Grafana {x}': revoke it, or choose another name"
    assert "«Grafana {x}»" in translate_refusal(SPANISH, sentence)
    assert translate_refusal("en", sentence) == sentence
    assert translate_refusal(SPANISH, "nobody knows this one") == "nobody knows this one"


def test_translations_keep_the_names_of_values():
    for text, translation in catalogue(SPANISH).items():
        assert translation.strip(), text
        assert sorted(NAME.findall(text)) == sorted(NAME.findall(translation)), text


def test_a_text_without_translation_stays_english():
    assert translate(SPANISH, "{count} unknown words", count=3) == "3 unknown words"


@given(st.text(max_size=80), st.sampled_from([None, "en", "es", "tlh"]))
def test_any_header_chooses_a_language_that_we_have(header: str, cookie: str | None):
    assert choose_language(cookie, header) in {"en", "es"}


@given(st.text(max_size=60))
def test_only_web_addresses_become_links(url: str):
    assert safe_link(url) == "" or url.lower().startswith(("http://", "https://"))
    assert safe_link("javascript:" + url) == ""
    assert safe_link("data:" + url) == ""


def test_vendored_files_are_unchanged_and_have_their_licence():
    folder = PAGES / "static"
    for entry in yaml.safe_load((folder / "vendored.yaml").read_text(encoding="utf-8")):
        assert sha256((folder / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]
        assert (folder / entry["licence_file"]).read_text(encoding="utf-8")


def test_reasons_are_words_and_their_codes_are_there_for_those_who_ask():
    frame = Frame(path="/", now=NOON, language="es")
    template = environment().from_string("{{ code|reason }}")
    assert template.render(frame=frame, code="too_few_words") == (
        '<span class="reason" title="too_few_words">muy pocas palabras</span>'
    )
    assert ">status 503<" in template.render(frame=Frame(path="/", now=NOON), code="http_503")
    assert ">its host is not found<" in template.render(frame=Frame(path="/", now=NOON), code="dns")


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("duplicate:same-text", ["duplicate", "same text"]),
        ("https://x.example/a", ["https://x.example/a"]),
        ("see here: a b", ["see here: a b"]),
        ("Mistake: it broke", ["Mistake: it broke"]),
    ],
)
def test_only_a_code_is_divided_at_its_colon(reason: str, words: list[str]):
    assert reason_words(reason) == words


def test_pages_name_the_cause_of_a_failure_as_commands_do_and_in_spanish():
    for code in FAILURE_TEXTS:
        (cause,) = reason_words(code)
        assert failure_words(code).startswith(cause)
        assert cause in catalogue(SPANISH)
