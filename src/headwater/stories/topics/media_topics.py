"""The 17 top-level IPTC Media Topics: codes, names and common other names."""

from collections.abc import Mapping

UNKNOWN_TOPIC = "00000000"

TOPIC_NAMES: Mapping[str, str] = {
    "01000000": "arts, culture, entertainment and media",
    "02000000": "crime, law and justice",
    "03000000": "disaster, accident and emergency incident",
    "04000000": "economy, business and finance",
    "05000000": "education",
    "06000000": "environment",
    "07000000": "health",
    "08000000": "human interest",
    "09000000": "labour",
    "10000000": "lifestyle and leisure",
    "11000000": "politics",
    "12000000": "religion",
    "13000000": "science and technology",
    "14000000": "society",
    "15000000": "sport",
    "16000000": "conflict, war and peace",
    "17000000": "weather",
}
TOPIC_ALIASES: Mapping[str, str] = {
    "arts, culture and entertainment": "01000000",
    "arts and entertainment": "01000000",
    "crime": "02000000",
    "disaster and accident": "03000000",
    "disaster, accident": "03000000",
    "business": "04000000",
    "economy": "04000000",
    "environmental issue": "06000000",
    "environmental issues": "06000000",
    "labor": "09000000",
    "lifestyle": "10000000",
    "politics and government": "11000000",
    "religion and belief": "12000000",
    "social issue": "14000000",
    "sports": "15000000",
    "unrest, conflicts and war": "16000000",
    "unrest, conflict and war": "16000000",
}
_CODES = {name: code for code, name in TOPIC_NAMES.items()} | dict(TOPIC_ALIASES)


def topic_code(label: str) -> str:
    """The code for a code or a name, old or new; UNKNOWN_TOPIC for anything else."""
    folded = " ".join(label.casefold().replace("medtop:", "").split())
    return folded if folded in TOPIC_NAMES else _CODES.get(folded, UNKNOWN_TOPIC)
