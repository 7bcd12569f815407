"""Reading web pages: accuracy, metadata, false alarms, hostile input and speed, with trafilatura in the same run.

python -m benchmarks.extract --data DIR

DIR holds `extract/*.tar.xz` and is only read; the archives are unpacked into a temporary folder. WCXB figures are out
of fold by registered domain: each page is read with a network that saw no page of its domain.
"""

import argparse
import json
import random
import re
import statistics
import tarfile
import tempfile
import time
import warnings
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import trafilatura
from tld import get_fld

from headwater.extract.html.decode import decode
from headwater.extract.html.network import Jury, load, network
from headwater.extract.html.read import read_with
from headwater.model.reading import Hints, Reading, Unreadable

FOLDS = Path(__file__).parent.parent / "training" / "folds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    key: str
    url: str
    data: bytes
    gold: str
    kind: str = "article"
    title: str = ""
    author: str = ""
    date: str = ""


# ---------------------------------------------------------------- data


def unpack(data: Path, folder: Path) -> None:
    for name in ("aeb", "wcxb-dev"):
        with tarfile.open(data / "extract" / f"{name}.tar.xz") as archive:
            archive.extractall(folder, filter="data")


def articles(folder: Path) -> Iterator[Case]:
    gold = json.loads((folder / "aeb" / "ground-truth.json").read_text(encoding="utf-8"))
    for key, page in sorted(gold.items()):
        data = (folder / "aeb" / "html" / f"{key}.html").read_bytes()
        yield Case(key=key, url=page["url"], data=data, gold=page.get("articleBody", ""))


def mixed(folder: Path) -> Iterator[Case]:
    root = folder / "wcxb-dev"
    for path in sorted((root / "ground-truth").glob("*.json")):
        page = json.loads(path.read_text(encoding="utf-8"))
        truth = page["ground_truth"]
        yield Case(
            key=path.stem,
            url=page["url"],
            data=(root / "html" / f"{path.stem}.html").read_bytes(),
            gold=truth.get("main_content") or "",
            kind=page.get("_internal", {}).get("page_type", {}).get("primary", "?"),
            title=truth.get("title") or "",
            author=truth.get("author") or "",
            date=(truth.get("publish_date") or "")[:10],
        )


# ---------------------------------------------------------------- readers


def fold_networks() -> list[Jury]:
    networks = []
    for number in range(5):
        with (FOLDS / f"fold{number}.npz").open("rb") as file:
            networks.append(load(file))
    return networks


def domain_of(url: str) -> str:
    return get_fld(url, fail_silently=True, fix_protocol=True) or url.split("/")[2 if "//" in url else 0]


def out_of_fold(networks: list[Jury], url: str) -> Jury:
    return networks[zlib.crc32(domain_of(url).encode()) % len(networks)]


# ---------------------------------------------------------------- scores


def shingles(text: str, size: int = 4) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", text)
    if not words:
        return Counter()
    return Counter(tuple(words[at : at + size]) for at in range(max(1, len(words) - size + 1)))


def article_score(pairs: list[tuple[str, str]]) -> dict[str, float]:
    """Four-word shingles as multisets; precision and recall averaged over pages, F1 of the averages."""
    precisions, recalls = [], []
    for gold, text in pairs:
        want, got = shingles(gold), shingles(text)
        hit = (want & got).total()
        if got:
            precisions.append(hit / got.total())
        if want:
            recalls.append(hit / want.total())
    precision, recall = statistics.mean(precisions), statistics.mean(recalls)
    return {"f1": 2 * precision * recall / (precision + recall), "precision": precision, "recall": recall}


def page_score(gold: str, text: str) -> float:
    want, got = (Counter(re.findall(r"\w+", part.lower())) for part in (gold, text))
    if not want:
        return 0.0 if got else 1.0
    return 2 * (want & got).total() / (want.total() + got.total()) if got else 0.0


def mixed_score(cases: list[Case], texts: list[str]) -> dict[str, float]:
    by_kind = defaultdict(list)
    for case, text in zip(cases, texts, strict=True):
        by_kind[case.kind].append(page_score(case.gold, text))
    scores = {kind: statistics.mean(values) for kind, values in sorted(by_kind.items())}
    return {"all": statistics.mean(score for values in by_kind.values() for score in values), **scores}


def normal(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def same_title(gold: str, found: str) -> bool:
    """At least four fifths of the words in common."""
    want, got = Counter(normal(gold).split()), Counter(normal(found).split())
    return bool(want) and 2 * (want & got).total() >= 0.8 * (want.total() + got.total())


def same_author(gold: str, found: list[str]) -> bool:
    want, got = normal(gold), normal(" ".join(found))
    return bool(got) and (want in got or got in want or set(want.split()) - {"and"} == set(got.split()))


def metadata_score(cases: list[Case], found: list[tuple[str, list[str], str]]) -> dict[str, float]:
    """Rates over the pages whose gold has the field; `invented` over those whose gold has no date."""
    rows = list(zip(cases, found, strict=True))
    titles = [(case.title, title) for case, (title, _, _) in rows if case.title]
    authors = [(case.author, names) for case, (_, names, _) in rows if case.author]
    dates = [(case.date, date) for case, (_, _, date) in rows if case.date]
    stated = [pair for pair in dates if pair[1]]
    undated = [date for case, (_, _, date) in rows if not case.date]
    right = sum(gold == date for gold, date in dates)
    return {
        "title": statistics.mean(same_title(*pair) for pair in titles),
        "title_exact": statistics.mean(normal(gold) == normal(title) for gold, title in titles),
        "author_recall": statistics.mean(same_author(*pair) for pair in authors),
        "date_recall": right / len(dates),
        "date_precision": right / max(1, len(stated)),
        "dates_invented": sum(map(bool, undated)) / len(undated),
    }


# ---------------------------------------------------------------- runs


@dataclass(slots=True)
class Outcome:
    texts: list[str]
    readings: list[Reading | Unreadable]
    seconds: float


def ours(cases: list[Case], choose: Callable[[Case], Jury]) -> Outcome:
    readings, seconds = [], 0.0
    for case in cases:
        chosen = choose(case)
        began = time.process_time()
        readings.append(read_with(case.data, Hints(url=case.url), chosen))
        seconds += time.process_time() - began
    texts = [reading.plain if isinstance(reading, Reading) else "" for reading in readings]
    return Outcome(texts, readings, seconds)


def peer(cases: list[Case]) -> Outcome:
    texts, seconds = [], 0.0
    for case in cases:
        began = time.process_time()
        # Without readers' comments, which score better than its default on both sets.
        texts.append(trafilatura.extract(case.data.decode("utf-8", "replace"), include_comments=False) or "")
        seconds += time.process_time() - began
    return Outcome(texts, [], seconds)


def our_metadata(readings: list[Reading | Unreadable]) -> list[tuple[str, list[str], str]]:
    return [
        (
            reading.title,
            list(reading.authors),
            reading.published.date().isoformat() if reading.published else "",
        )
        if isinstance(reading, Reading)
        else ("", [], "")
        for reading in readings
    ]


def peer_metadata(cases: list[Case]) -> tuple[list[tuple[str, list[str], str]], float]:
    found, seconds = [], 0.0
    for case in cases:
        began = time.process_time()
        about = trafilatura.extract_metadata(case.data, default_url=case.url)
        seconds += time.process_time() - began
        found.append((about.title or "", [about.author or ""], about.date or "") if about else ("", [], ""))
    return found, seconds


def metadata_seconds(cases: list[Case]) -> float:
    """CPU of the metadata part alone: gathering the evidence and judging it."""
    from headwater.extract.html.flatten import flatten  # noqa: PLC0415
    from headwater.extract.html.metadata import describe, gather_stated, gather_visible  # noqa: PLC0415
    from headwater.extract.html.read import headline_of  # noqa: PLC0415
    from headwater.extract.html.tree import parse, readable_body  # noqa: PLC0415

    seconds = 0.0
    for case in cases:
        tree = parse(decode(case.data, None).text)
        began = time.process_time()
        evidence = gather_stated(tree)
        seconds += time.process_time() - began
        page = flatten(readable_body(tree))
        began = time.process_time()
        gather_visible(tree, evidence)
        describe(evidence, headline_of(page), case.url)
        seconds += time.process_time() - began
    return seconds


def alarms(cases: list[Case], outcome: Outcome) -> tuple[dict[str, int], int]:
    """Pages refused by reason, and how many of them have gold text of more than fifty words."""
    refused = [
        (reading.reason, case)
        for case, reading in zip(cases, outcome.readings, strict=True)
        if isinstance(reading, Unreadable)
    ]
    false = sum(len(case.gold.split()) > 50 for _, case in refused)
    return dict(Counter(reason for reason, _ in refused)), false


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
        began = time.process_time()
        reading = read_with(data, Hints(), network())
        spent = time.process_time() - began
        said = f"{len(reading.text)} characters" if isinstance(reading, Reading) else reading.reason
        outcome[name] = (said, spent)
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
    """How mutated pages end: as text, as a reason, or (never) in an error."""
    chance = random.Random(7)
    outcome: Counter[str] = Counter()
    for _ in range(count):
        data = mutated(chance.choice(cases).data, chance)
        try:
            reading = read_with(data, Hints(url="https://site.example/page"), network())
        except Exception as error:  # noqa: BLE001  -- an error of any kind is what is counted here
            outcome[f"error {type(error).__name__}"] += 1
        else:
            outcome["text" if isinstance(reading, Reading) else reading.reason] += 1
    return dict(outcome)


# ---------------------------------------------------------------- report


def row(name: str, mine: float, theirs: float | None, target: str = "") -> None:
    other = f"{theirs:10.4f}" if theirs is not None else " " * 10
    print(f"{name:<34}{mine:>10.4f}{other}   {target}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--without-peer", action="store_true", help="skip trafilatura (it takes most of the time)"
    )
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        unpack(arguments.data, Path(folder))
        first, second = list(articles(Path(folder))), list(mixed(Path(folder)))
    report(first, second, with_peer=not arguments.without_peer)


def report(first: list[Case], second: list[Case], *, with_peer: bool) -> None:
    whole, folds = network(), fold_networks()
    a, b = ours(first, lambda _: whole), ours(second, lambda case: out_of_fold(folds, case.url))
    pairs = [(case.gold, text) for case, text in zip(first, a.texts, strict=True)]
    figures: dict[str, object] = {
        "aeb": article_score(pairs),
        "wcxb_out_of_fold": mixed_score(second, b.texts),
        "metadata": metadata_score(second, our_metadata(b.readings)),
        "metadata_ms": 1000 * metadata_seconds(second) / len(second),
        "ms_per_page": 1000 * (a.seconds + b.seconds) / (len(first) + len(second)),
    }
    if with_peer:
        figures |= peer_figures(first, second, a.seconds + b.seconds)
    reasons, false = alarms(first + second, Outcome(a.texts + b.texts, a.readings + b.readings, 0))
    figures |= {"refused": reasons, "false_alarms": false}
    figures["fuzzed"] = fuzzed(first + second, 2_000)
    attacks = hostile()
    figures["hostile_worst_seconds"] = max(seconds for _, seconds in attacks.values())
    show(figures, attacks)
    print(json.dumps(figures))


def peer_figures(first: list[Case], second: list[Case], seconds: float) -> dict[str, object]:
    a, b = peer(first), peer(second)
    about, spent = peer_metadata(second)
    pairs = [(case.gold, text) for case, text in zip(first, a.texts, strict=True)]
    return {
        "peer_aeb": article_score(pairs),
        "peer_wcxb": mixed_score(second, b.texts),
        "peer_metadata": metadata_score(second, about),
        "peer_metadata_ms": 1000 * spent / len(second),
        "peer_ms_per_page": 1000 * (a.seconds + b.seconds) / (len(first) + len(second)),
        "speed_ratio": (a.seconds + b.seconds) / seconds,
    }


TARGETS = {
    "aeb f1": ">= .960",
    "wcxb all": ">= .87",
    "wcxb article": ">= .96",
    "title": ">= .80",
    "author_recall": ">= .74",
    "date_recall": ">= .86",
    "date_precision": ">= .92",
    "dates_invented": "<= .10",
    "metadata ms": "<= 4",
    "speed ratio": ">= 3",
}


def show(figures: dict, attacks: dict[str, tuple[str, float]]) -> None:
    print(f"{'':<34}{'ours':>10}{'peer':>10}   target")
    groups = (
        ("aeb", "aeb", "peer_aeb"),
        ("wcxb", "wcxb_out_of_fold", "peer_wcxb"),
        ("", "metadata", "peer_metadata"),
    )
    for label, mine, theirs in groups:
        for name, value in figures[mine].items():
            full = f"{label} {name}".strip()
            row(full, value, figures.get(theirs, {}).get(name), TARGETS.get(full, ""))
    row("metadata ms", figures["metadata_ms"], figures.get("peer_metadata_ms"), TARGETS["metadata ms"])
    row("ms per page, all of it", figures["ms_per_page"], figures.get("peer_ms_per_page"))
    if "speed_ratio" in figures:
        row("speed ratio", figures["speed_ratio"], 1.0, TARGETS["speed ratio"])
    print(f"refused {figures['refused']}, of these with real gold text: {figures['false_alarms']}")
    print(f"2,000 mutated pages: {figures['fuzzed']}")
    for name, (said, seconds) in attacks.items():
        print(f"  {name:<28}{seconds:7.2f} s   {said}")


if __name__ == "__main__":
    main()
