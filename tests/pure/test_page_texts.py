"""The texts of the web pages: each has a translation, and each vendored file is what it claims to be."""

import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from headwater.web.pages.rendering import safe_link
from headwater.web.pages.translations import SPANISH, catalogue, choose_language, translate

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
