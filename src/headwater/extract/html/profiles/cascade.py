"""A profile that tries other extraction packages in turn until the text is long enough."""

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from headwater.extract.html.parser import parse_html

_ENOUGH = 200


def cascade_text(markup: str) -> tuple[str, str, dict[str, int]]:
    """The text, its extractor, and the text length of each extractor tried. The longest text if none is long enough."""
    lengths: dict[str, int] = {}
    best, method = "", ""
    for name, extract in _readers():
        text = _attempt(extract, markup)
        lengths[name] = len(text)
        if len(text) > len(best):
            best, method = text, name
        if len(text) >= _ENOUGH:
            break
    return best, method, lengths


def _attempt(extract: Callable[[str], str], markup: str) -> str:
    """Packages of others raise errors of their own on odd pages, an empty one for example: then the next one is tried. Too little
    memory is no such error: the page may well have a text."""
    try:
        return extract(markup)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001
        return ""


def installed_extractors() -> tuple[str, ...]:
    return tuple(name for name, _ in _readers())


def _readers() -> Iterator[tuple[str, Callable[[str], str]]]:
    order = (
        ("trafilatura", _trafilatura),
        ("readability", _readability),
        ("justext", _justext),
        ("boilerpy3", _boilerpy),
    )
    for name, extract in order:
        if find_spec(name) is not None:
            yield name, extract


def _module(name: str) -> Any:
    return import_module(name)


def _trafilatura(markup: str) -> str:
    return str(_module("trafilatura").extract(markup, favor_recall=True) or "")


def _readability(markup: str) -> str:
    from headwater.extract.html.profiles.selectors import selectors_text  # noqa: PLC0415  -- only with the extra

    return selectors_text(_module("readability").Document(markup).summary())


def _justext(markup: str) -> str:
    justext = _module("justext")
    paragraphs = justext.justext(markup.encode(), justext.get_stoplist("English"))
    return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


def _boilerpy(markup: str) -> str:
    """It reads only what stands in a `<body>`, a tag that a page may leave out: it gets the page as the parser completed it."""
    extractor = _module("boilerpy3.extractors").ArticleExtractor(raise_on_failure=False)
    return str(extractor.get_content(parse_html(markup).html or ""))
