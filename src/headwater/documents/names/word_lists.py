"""The lists of words by which names are classified, from `words.txt`."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from headwater.documents.mentions.matcher import Matcher, build_matcher
from headwater.model.subject import Alias


@dataclass(frozen=True, slots=True)
class WordList:
    """Whole words, and the beginnings of others."""

    words: frozenset[str]
    beginnings: tuple[str, ...]

    def __contains__(self, word: str) -> bool:
        return word in self.words or (bool(self.beginnings) and word.startswith(self.beginnings))


@cache
def word_list(kind: str) -> WordList:
    words = [word for line in _sections()[kind] for word in line.split()]
    return WordList(
        frozenset(word for word in words if not word.endswith("*")),
        tuple(word.removesuffix("*") for word in words if word.endswith("*")),
    )


@cache
def known_organisations() -> Matcher:
    names = [name.strip() for line in _sections()["organisation"] for name in line.split("|")]
    return build_matcher(Alias(name, name, "name", 0.9) for name in names)


@cache
def _sections() -> dict[str, list[str]]:
    text = files("headwater.documents.names").joinpath("words.txt").read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("@ "):
            section = sections[line[2:]] = []
        elif not line.startswith("#"):
            section.append(line.casefold())
    return sections
