"""Links as they stand in the text: words, and where they lead."""

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
_STEP = re.compile(r"\s*[»›>]\s*")


def leads_nowhere(target: str) -> bool:
    return not target or target.lower().startswith(EMPTY_TARGETS)


def is_text(text: str, target: str) -> bool:
    """A line whose link was left open, as many sites leave those to laws."""
    return target == "#" and len(text.split()) >= FEWEST_WORDS


def is_breadcrumb(text: str) -> bool:
    """The path of links to a page, which no class calls so."""
    if "](" not in text or not _STEP.search(_ADDRESS.sub("", text)):
        return False
    steps = _STEP.split(_ADDRESS.sub("", text))
    return len(steps) <= MOST_CRUMBS and all(
        0 < len(one) <= LONGEST_CRUMB and one[-1] not in ".;:" for one in steps
    )


def markdown_link(text: str, target: str, address: str) -> str:
    """`[words](address)`; words alone where it leads nowhere; a number or mail address that the words do not show is
    put behind them."""
    if leads_nowhere(target) or target.lower().startswith("data:"):
        return text
    if target.lower().startswith(CONTACT_SCHEMES):
        called = target.partition(":")[2]
        shown = "@" in text or called.strip("+ ")[-4:] in text.replace(" ", "")
        return text if shown else f"{text} {called}"
    return f"[{text}]({_absolute(address, target)})"


def buttons_of(tree: LexborHTMLParser, address: str) -> list[str]:
    """Where links lead that are dressed as buttons."""
    found = [
        _absolute(address, target)
        for node in tree.css("a[href]")[:MOST]
        if (BUTTONS & element_names(node) or node.attributes.get("role") == "button")
        and not leads_nowhere(target := (node.attributes.get("href") or "").strip())
    ]
    return list(dict.fromkeys(found))[:MOST_BUTTONS]


def _absolute(address: str, target: str) -> str:
    try:
        found = urljoin(address, target)
    except ValueError:
        found = target
    return found.replace(" ", "%20").replace(")", "%29")
