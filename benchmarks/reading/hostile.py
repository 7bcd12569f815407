"""Hostile pages that other readers fail on, and mutations of real pages."""

import random
import time
from collections import Counter
from collections.abc import Callable

from benchmarks.reading.pages import Case
from headwater.extract.html.classifier.network import default_classifier
from headwater.extract.html.reader import read_html_with
from headwater.model.outcomes import ExtractHints, Reading

HOSTILE: dict[str, Callable[[], bytes]] = {
    "page of 20 MB": lambda: b"<body>" + b"<div><p>Some words, and some more of them.</p></div>" * 400_000,
    "one text of 20 MB": lambda: b"<body><p>" + b"word and word, " * 1_350_000,
    "50,000 nested divs": lambda: b"<div>" * 50_000 + b"the middle of it" + b"</div>" * 50_000,
    "20,000 nested mixed": lambda: b"<div><b><i><ul><li>" * 20_000 + b"words in the middle",
    "3,000 nested tables": lambda: b"<table><tr><td>" * 3_000 + b"words in the cell",
    "200,000 links": lambda: b"<body>" + b'<a href="/a">a link</a> ' * 200_000,
    "200,000 unclosed tags": lambda: b"<body>" + b"<div><span><b>word " * 70_000,
    "attribute of 5 MB": lambda: b'<p class="' + b"x" * 5_000_000 + b'">A short text after a long name.</p>',
    "script of 10 MB": lambda: b"<script>" + b"var a = 1;" * 1_000_000 + b"</script><p>Some text here.</p>",
    "lone surrogates": lambda: b"<p>&#xD800; and &#xDFFF; in a text of some words</p>",
    "null bytes": lambda: b"<p>\0\0 words\0 with nulls between</p>" * 100,
    "PDF": lambda: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3 stream",
    "binary": lambda: bytes(range(256)) * 200,
    "nothing": lambda: b"",
}


def hostile() -> dict[str, tuple[str, float]]:
    outcome = {}
    for name, make in HOSTILE.items():
        data = make()
        start = time.process_time()
        reading = read_html_with(data, ExtractHints(), default_classifier())
        spent = time.process_time() - start
        result = f"{len(reading.text)} characters" if isinstance(reading, Reading) else reading.reason
        outcome[name] = (result, spent)
    return outcome


JUNK = (
    b"<", b">", b'"', b"'", b"&", b"\0", b"<!--", b"-->", b"</div>", b"<table>", b"<script>", b"</script>", b"<title>",
    b"\xff\xfe", b"&#55296;", b'<a href="//[">', b'<time datetime="0000-00-00">', b'<base href="http://[x">',
    b'<script type="application/ld+json">{"@type":["Article",3],"author":[[{"name":{"a":1}}]]}</script>',
)  # fmt: skip


def mutated(data: bytes, chance: random.Random) -> bytes:
    page = bytearray(data[: chance.choice((3_000, 30_000, 200_000))])
    for _ in range(chance.choice((1, 10, 100, 400))):
        at, kind = chance.randrange(len(page) + 1), chance.random()
        if kind < 0.4:
            page[at:at] = chance.choice(JUNK)
        elif kind < 0.7:
            del page[at : at + chance.choice((1, 5, 50))]
        elif kind < 0.9:
            other = chance.randrange(len(page) + 1)
            page[at:at] = page[other : other + chance.choice((5, 200))]
        else:
            page[at : at + 1] = bytes([chance.randrange(256)])
    return bytes(page)


def fuzzed(cases: list[Case], count: int) -> dict[str, int]:
    """Results of mutated pages: text, a reason, or (never) an error."""
    chance = random.Random(7)
    outcome: Counter[str] = Counter()
    for _ in range(count):
        data = mutated(chance.choice(cases).data, chance)
        try:
            reading = read_html_with(
                data, ExtractHints(url="https://site.example/page"), default_classifier()
            )
        except Exception as error:  # noqa: BLE001  -- an error of any kind is what is counted here
            outcome[f"error {type(error).__name__}"] += 1
        else:
            outcome["text" if isinstance(reading, Reading) else reading.reason] += 1
    return dict(outcome)
