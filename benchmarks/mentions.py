"""Finding the names of many subjects in many documents in one pass, compared with peers in the same run.

    python -m benchmarks.mentions [--aliases 100000] [--documents 1000] [--quick]

Names and texts are generated. Peers: pyahocorasick and flashtext where they are installed, and `re` with an alternation
of a small part of the names, since more would not finish. Also how many names each profile finds inside other words.
The last line is one JSON object.
"""

import argparse
import importlib
import json
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence

from headwater.documents.mentions.matcher import Matcher, build_matcher
from headwater.model.subject import Alias

SYLLABLES = (
    *("ka", "lo", "mer", "tin", "da", "vo", "ran", "sel", "ti", "bor", "an", "gu", "per", "mi"),
    *("no", "lac", "fer", "os", "tra", "el", "vi", "ru", "com", "pa", "ne", "sto", "al", "by"),
)
# Half of the words of the prose begin like a name and continue differently.
PROSE_ENDINGS = ("ing", "ed", "sh", "ght", "wn", "th", "ity", "ck")
ENDINGS = ("Corp", "Inc", "Group", "Holdings", "AG", "S.A.", "plc", "Ltd")
KINDS = ("alias", "alias", "legal_name", "ticker", "brand")
RE_NAMES = 500

Find = Callable[[str], int]


def word(chance: random.Random, least: int, most: int) -> str:
    return "".join(chance.choice(SYLLABLES) for _ in range(chance.randint(least, most)))


def made_aliases(chance: random.Random, count: int) -> list[Alias]:
    aliases: dict[str, Alias] = {}
    while len(aliases) < count:
        kind = chance.choice(KINDS)
        if kind == "ticker":
            text = "".join(chance.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(chance.randint(3, 6)))
        else:
            text = " ".join(word(chance, 2, 4).capitalize() for _ in range(chance.randint(1, 2)))
            text += f" {chance.choice(ENDINGS)}" if kind == "legal_name" else ""
        aliases.setdefault(text, Alias(text, f"subject-{len(aliases) // 3}", kind))
    return list(aliases.values())


def made_documents(chance: random.Random, aliases: Sequence[Alias], count: int) -> list[str]:
    vocabulary = [word(chance, 1, 3) + chance.choice(PROSE_ENDINGS) for _ in range(8000)]
    vocabulary += ["the", "of", "and", "to", "in", "says", "año", "is", "its", "for"] * 700
    documents = []
    for _ in range(count):
        words: list[str] = []
        size = 0
        while size < 5000:
            piece = chance.choice(aliases).text if chance.random() < 0.02 else chance.choice(vocabulary)
            piece += chance.choice((" ", " ", " ", " ", " ", ", ", ". ", "’s ", "\n\n"))
            words.append(piece)
            size += len(piece)
        documents.append("".join(words))
    return documents


def with_matcher(matcher: Matcher) -> Find:
    return lambda text: sum(mention.count for mention in matcher.find(text))


def with_pyahocorasick(module, aliases: Sequence[Alias]) -> Find:
    """With the same boundary check and the longest match; no offsets, no subjects, no rules by length."""
    automaton = module.Automaton()
    for alias in aliases:
        automaton.add_word(alias.text.lower(), len(alias.text))
    automaton.make_automaton()

    def find(text: str) -> int:
        lowered, last, count = text.lower(), -1, 0
        spans = []
        for end, size in automaton.iter(lowered):
            start = end - size + 1
            if start and lowered[start - 1].isalnum():
                continue
            if end + 1 < len(lowered) and lowered[end + 1].isalnum():
                continue
            spans.append((start, -end))
        for start, end in sorted(spans):
            if start > last:
                count, last = count + 1, -end
        return count

    return find


def with_flashtext(module, aliases: Sequence[Alias]) -> Find:
    processor = module.KeywordProcessor()
    for alias in aliases:
        processor.add_keyword(alias.text)
    return lambda text: len(processor.extract_keywords(text))


def with_re(aliases: Sequence[Alias]) -> Find:
    names = sorted((re.escape(alias.text) for alias in aliases[:RE_NAMES]), key=len, reverse=True)
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(names) + r")(?!\w)", re.IGNORECASE)
    return lambda text: sum(1 for _ in pattern.finditer(text))


def peers(aliases: Sequence[Alias]) -> Iterator[tuple[str, Find, int]]:
    for name, build in (("ahocorasick", with_pyahocorasick), ("flashtext", with_flashtext)):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        yield name, build(module, aliases), len(aliases)
    yield f"re, {RE_NAMES} names", with_re(aliases), RE_NAMES


def measure(find: Find, documents: Sequence[str]) -> tuple[float, int]:
    """Documents per CPU second (best of three) and names found."""
    best, count = float("inf"), 0
    for _ in range(3):
        start = time.process_time()
        count = sum(map(find, documents))
        best = min(best, time.process_time() - start)
    return len(documents) / best, count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--aliases", type=int, default=100_000)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    chance = random.Random(5)
    aliases = made_aliases(chance, 2000 if options.quick else options.aliases)
    documents = made_documents(chance, aliases, 50 if options.quick else options.documents)
    start = time.process_time()
    matcher = build_matcher(aliases)
    build_seconds = time.process_time() - start
    finders: list[tuple[str, Find, int, Sequence[str]]] = [
        ("headwater", with_matcher(matcher), len(aliases), documents),
        ("headwater compat", with_matcher(build_matcher(aliases, "compat")), len(aliases), documents),
    ]
    finders += [
        (n, find, names, documents[: 20 if n.startswith("re") else None]) for n, find, names in peers(aliases)
    ]
    print(f"{'':22} {'names':>8} {'documents/CPU s':>16} {'found/document':>15}")
    speeds: dict[str, float] = {}
    per_document: dict[str, float] = {}
    for name, find, names, finder_documents in finders:
        speed, count = measure(find, finder_documents)
        speeds[name], per_document[name] = round(speed, 1), round(count / len(finder_documents), 2)
        print(f"{name:22} {names:8} {speed:16.0f} {per_document[name]:15.2f}")
    print(f"building takes {build_seconds:.2f} CPU s")
    report = {
        "benchmark": "mentions",
        "aliases": len(aliases),
        "documents": len(documents),
        "characters": sum(map(len, documents)),
        "documents_per_cpu_second": speeds,
        "found_per_document": per_document,
        "build_seconds": round(build_seconds, 2),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
