"""How texts and fields are scored, the way the labelled sets define it."""

import re
import statistics
from collections import Counter, defaultdict

from benchmarks.reading.pages import Case

Fields = tuple[str, list[str], str]


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


def same_title(gold: str, title: str) -> bool:
    """At least four fifths of the words in common."""
    want, got = Counter(normal(gold).split()), Counter(normal(title).split())
    return bool(want) and 2 * (want & got).total() >= 0.8 * (want.total() + got.total())


def same_author(gold: str, authors: list[str]) -> bool:
    want, got = normal(gold), normal(" ".join(authors))
    return bool(got) and (want in got or got in want or set(want.split()) - {"and"} == set(got.split()))


def metadata_score(cases: list[Case], fields: list[Fields]) -> dict[str, float]:
    """Rates over the pages whose gold has the field; `invented` over those whose gold has no date."""
    rows = list(zip(cases, fields, strict=True))
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


def speed_score(ours: list[float], theirs: list[float]) -> dict[str, float]:
    """How many times faster we read the same pages. A few huge pages decide the sum, every page counts in the median."""
    return {
        "by sum": sum(theirs) / sum(ours),
        "by median page": statistics.median(slow / fast for fast, slow in zip(ours, theirs, strict=True)),
    }
