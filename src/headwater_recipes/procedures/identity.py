"""Names for files: who, then what."""

import re

from headwater.pure.crawling.markers import folded

SOUND = re.compile(r"^[a-z][a-z0-9_-]{2,80}$")
LONGEST = 81
SMALL = frozenset(
    [
        "a",
        "al",
        "as",
        "con",
        "da",
        "das",
        "de",
        "del",
        "dels",
        "do",
        "dos",
        "e",
        "el",
        "els",
        "en",
        "i",
        "la",
        "las",
        "les",
        "los",
        "o",
        "os",
        "para",
        "per",
        "por",
        "y",
        "un",
        "una",
        "unha",
        "l",
        "d",
    ]
)


def procedure_id(source_type: str, who: str, name: str) -> str:
    """`{source_type}-{who}-{name}`, cut between words."""
    words = [word for word in folded(name).split() if word not in SMALL]
    parts = [source_type, *folded(who).split(), *words]
    kept: list[str] = []
    for part in parts:
        if len("-".join([*kept, part])) > LONGEST:
            break
        kept.append(part)
    return re.sub(r"[^a-z0-9_-]", "", "-".join(kept))


def apart(identity: str, mark: str) -> str:
    """Another id for another page of the same name."""
    return f"{identity[: LONGEST - len(mark) - 1].rstrip('-')}-{mark}"
