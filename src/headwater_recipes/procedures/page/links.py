"""Links in the text of a page."""

import re
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

from headwater_recipes.procedures.page.site_frame import element_names

EMPTY_TARGETS = ("#", "javascript:")
BUTTONS = frozenset({"btn", "button", "boton", "boto", "botoia", "cta"})
MOST, MOST_BUTTONS = 4000, 20
CONTACT_SCHEMES = ("mailto:", "tel:")
FEWEST_WORDS, LONGEST_CRUMB, MOST_CRUMBS = 4, 60, 8
_ADDRESS = re.compile(r"\]\([^()\s]*\)|\[")
_STEP = re.compile(r"(?:(?<!\s)\s++)?[»›>]\s*")


def is_empty_target(target: str) -> bool:
    return not target or target.lower().startswith(EMPTY_TARGETS)


def is_text(text: str, target: str) -> bool:
    """Whether a link is long text, because its end tag is missing, as many sites do with links to laws."""
    return target == "#" and len(text.split()) >= FEWEST_WORDS


def is_breadcrumb(text: str) -> bool:
    """Whether the text is a breadcrumb that no class marks."""
    if "](" not in text or not _STEP.search(_ADDRESS.sub("", text)):
        return False
    steps = _STEP.split(_ADDRESS.sub("", text))
    return len(steps) <= MOST_CRUMBS and all(
        0 < len(step) <= LONGEST_CRUMB and step[-1] not in ".;:" for step in steps
    )


def markdown_link(text: str, target: str, address: str) -> str:
    """`[text](address)`, or the text alone for an empty target. A telephone number or mail address that the text does not show
    is appended."""
    if is_empty_target(target) or target.lower().startswith("data:"):
        return text
    if target.lower().startswith(CONTACT_SCHEMES):
        called = target.partition(":")[2]
        shown = "@" in text or called.strip("+ ")[-4:] in text.replace(" ", "")
        return text if shown else f"{text} {called}"
    return f"[{text}]({_absolute(address, target)})"


def buttons_of(tree: LexborHTMLParser, address: str) -> list[str]:
    """The targets of links that are styled as buttons."""
    urls = [
        _absolute(address, target)
        for node in tree.css("a[href]")[:MOST]
        if (BUTTONS & element_names(node) or node.attributes.get("role") == "button")
        and not is_empty_target(target := (node.attributes.get("href") or "").strip())
    ]
    return list(dict.fromkeys(urls))[:MOST_BUTTONS]


def _absolute(address: str, target: str) -> str:
    try:
        url = urljoin(address, target)
    except ValueError:
        url = target
    return url.replace(" ", "%20").replace(")", "%29")
