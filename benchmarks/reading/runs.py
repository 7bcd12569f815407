"""One pass of a reader over labelled pages: the texts, and the CPU time."""

import time
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import trafilatura
from tld import get_fld

from benchmarks.reading.pages import Case
from benchmarks.reading.scores import Fields
from headwater.extract.html.classifier.network import Ensemble, load_ensemble
from headwater.extract.html.flatten import flatten
from headwater.extract.html.metadata.authors import states_authors
from headwater.extract.html.metadata.evidence import gather_bylines, gather_stated, gather_visible
from headwater.extract.html.metadata.headline import lines_near_headline
from headwater.extract.html.metadata.page_metadata import page_metadata
from headwater.extract.html.parser import parse_html, readable_body
from headwater.extract.html.reader import read_html_with
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.charset import decode_text

FOLDS = Path(__file__).parent.parent.parent / "training" / "folds"


def fold_networks() -> list[Ensemble]:
    networks = []
    for number in range(5):
        with (FOLDS / f"fold{number}.npz").open("rb") as file:
            networks.append(load_ensemble(file))
    return networks


def domain_of(url: str) -> str:
    return get_fld(url, fail_silently=True, fix_protocol=True) or url.split("/")[2 if "//" in url else 0]


def out_of_fold(networks: list[Ensemble], url: str) -> Ensemble:
    return networks[zlib.crc32(domain_of(url).encode()) % len(networks)]


@dataclass(slots=True)
class Outcome:
    """One entry per page; `seconds` are of CPU time."""

    texts: list[str]
    readings: list[Reading | Unreadable]
    seconds: list[float]


def ours(cases: list[Case], choose: Callable[[Case], Ensemble]) -> Outcome:
    readings, seconds = [], []
    for case in cases:
        network = choose(case)
        start = time.process_time()
        readings.append(read_html_with(case.data, ExtractHints(url=case.url), network))
        seconds.append(time.process_time() - start)
    texts = [reading.plain if isinstance(reading, Reading) else "" for reading in readings]
    return Outcome(texts, readings, seconds)


def peer(cases: list[Case]) -> Outcome:
    """Text and metadata in one call, as our reader delivers both."""
    texts, seconds = [], []
    for case in cases:
        start = time.process_time()
        # Without readers' comments, which score better than its default on both sets.
        document = trafilatura.bare_extraction(
            case.data.decode("utf-8", "replace"), url=case.url, include_comments=False, with_metadata=True
        )
        seconds.append(time.process_time() - start)
        texts.append((document.text or "") if document is not None else "")
    return Outcome(texts, [], seconds)


def our_metadata(readings: list[Reading | Unreadable]) -> list[Fields]:
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


def peer_metadata(cases: list[Case]) -> tuple[list[Fields], float]:
    fields, seconds = [], 0.0
    for case in cases:
        start = time.process_time()
        metadata = trafilatura.extract_metadata(case.data, default_url=case.url)
        seconds += time.process_time() - start
        fields.append(
            (metadata.title or "", [metadata.author or ""], metadata.date or "") if metadata else ("", [], "")
        )
    return fields, seconds


def metadata_seconds(cases: list[Case]) -> float:
    """CPU seconds of the metadata part alone: gathering the evidence and judging it."""
    seconds = 0.0
    for case in cases:
        tree = parse_html(decode_text(case.data, None).text)
        start = time.process_time()
        evidence = gather_stated(tree)
        seconds += time.process_time() - start
        page = flatten(readable_body(tree))
        start = time.process_time()
        gather_visible(tree, evidence)
        if not states_authors(evidence):
            gather_bylines(tree, evidence)
        page_metadata(evidence, lines_near_headline(page, evidence.title), case.url)
        seconds += time.process_time() - start
    return seconds


def alarms(cases: list[Case], readings: list[Reading | Unreadable]) -> tuple[dict[str, int], int]:
    """Pages refused by reason, and how many of them have gold text of more than fifty words."""
    refused = [
        (reading.reason, case)
        for case, reading in zip(cases, readings, strict=True)
        if isinstance(reading, Unreadable)
    ]
    false = sum(len(case.gold.split()) > 50 for _, case in refused)
    return dict(Counter(reason for reason, _ in refused)), false
