"""The rungs: each looks for earlier documents in one way and says what the article is to them."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from difflib import SequenceMatcher

from headwater.pure.dupes.articles import Article, Verdict
from headwater.pure.dupes.compare import Repeated, compare_pages
from headwater.pure.dupes.ladder import Case, Finding, Make
from headwater.pure.dupes.page import Page
from headwater.pure.dupes.signature import jaccard, sign
from headwater.pure.dupes.verdict import FRESH, SHORT

CANDIDATES = 6
LEAST_SUPPORT = 0.3
"""Less shared than this is a common phrase."""

CERTAIN = 0.9
"""A copy this good needs no further search."""

_SERIES = ("figures-replaced", "names-replaced", "another-occasion")


def equal(rule: str, make: Make, *, checked: bool = True) -> "Callable[[Case], Iterator[Finding]]":
    """The same fingerprint is the same document. Checked: unless the address was given to another text."""

    def rung(case: Case) -> Iterator[Finding]:
        mine = case.print_of(make)
        document = case.index.same([mine]).get(mine) if mine else None
        if mine is None or document is None or document == case.article.id:
            return
        if checked and _other_text(case, document):
            yield Finding(document, Verdict(answer="related", rule=f"{rule}-reused", score=0.5))
        else:
            yield Finding(
                document, Verdict(answer="duplicate", rule=rule, score=1.0, evidence={rule: mine.value})
            )

    return rung


def equal_text(make: Make) -> "Callable[[Case], Iterator[Finding]]":
    """Word for word the same: certain for a story of some length that came soon, a candidate otherwise."""

    def rung(case: Case) -> Iterator[Finding]:
        mine = case.print_of(make)
        document = case.index.same([mine]).get(mine) if mine else None
        earlier = case.index.article(document) if document and document != case.article.id else None
        if mine is None or earlier is None:
            return
        if len(case.page.body) >= SHORT and _soon(earlier, case.article, FRESH):
            verdict = Verdict(answer="duplicate", rule="text", score=1.0, evidence={"text": mine.value})
        else:
            verdict = _compare(case, earlier)
        yield Finding(earlier.id, verdict)

    return rung


def near(case: Case) -> Iterator[Finding]:
    """Candidates by shared keys, verified one by one; the best fresh copy first, then late ones, then the rest."""
    findings = list(_verified(case))
    copies = [finding for finding in findings if finding.verdict.answer == "duplicate"]
    copies.sort(key=lambda finding: (not _is_fresh(finding.verdict), -finding.verdict.score))
    for copy in copies:
        yield _as_series(case, copy) if _in_series(case, copy, findings) else copy
    yield from (finding for finding in findings if finding.verdict.answer != "duplicate")


def similar_minhash(threshold: float) -> "Callable[[Case], Iterator[Finding]]":
    def rung(case: Case) -> Iterator[Finding]:
        mine = sign(case.page.title, case.page.body)
        for document, _ in case.proposed(CANDIDATES):
            earlier = case.index.article(document)
            page = case.pages.of(earlier) if earlier else None
            score = jaccard(mine, sign(page.title, page.body)) if page else 0.0
            if score >= threshold:
                yield Finding(document, Verdict(answer="duplicate", rule="minhash", score=score))

    return rung


def similar_title(threshold: float, within: timedelta) -> "Callable[[Case], Iterator[Finding]]":
    """Fuzzy titles of the same publisher decide here; the default ladder never lets them."""

    def rung(case: Case) -> Iterator[Finding]:
        for document, _ in case.proposed(200):
            earlier = case.index.article(document)
            if (
                earlier is None
                or earlier.publisher != case.article.publisher
                or not _soon(earlier, case.article, within)
            ):
                continue
            score = SequenceMatcher(
                None, earlier.title.lower(), case.article.title.lower(), autojunk=False
            ).ratio()
            if score > threshold:
                yield Finding(document, Verdict(answer="duplicate", rule="fuzzy-title", score=score))

    return rung


def _verified(case: Case) -> Iterator[Finding]:
    for document, support in case.proposed(CANDIDATES):
        earlier = case.index.article(document)
        if earlier is None or support < LEAST_SUPPORT:
            continue
        verdict = _compare(case, earlier)
        yield Finding(document, verdict)
        if verdict.answer == "duplicate" and verdict.score >= CERTAIN and _is_fresh(verdict):
            return


def _compare(case: Case, earlier: Article, *, recurring: bool = False) -> Verdict:
    old, new = case.pages.of(earlier), case.page
    return compare_pages(old, new, Repeated(_repeated(case, old), _repeated(case, new)), recurring=recurring)


def _repeated(case: Case, page: Page) -> frozenset[int]:
    return case.index.repeated(page.article.publisher, page.parts.hashes)


def _is_fresh(verdict: Verdict) -> bool:
    gap = verdict.evidence.get("gap")
    return gap is not None and gap <= FRESH


def _in_series(case: Case, copy: Finding, findings: list[Finding]) -> bool:
    """Another story of the same form with other figures or names was seen: this one is a report that recurs."""
    mine = case.index.original(copy.document)
    return any(
        finding.verdict.rule in _SERIES
        and finding.verdict.score >= 0.6
        and case.index.original(finding.document) != mine
        for finding in findings
    )


def _as_series(case: Case, finding: Finding) -> Finding:
    earlier = case.index.article(finding.document)
    return Finding(finding.document, _compare(case, earlier, recurring=True)) if earlier else finding


def _other_text(case: Case, document: str) -> bool:
    earlier = case.index.article(document)
    if earlier is None or not earlier.body or not case.article.body:
        return False
    verdict = _compare(case, earlier)
    return verdict.answer == "new" and verdict.rule == "different"


def _soon(earlier: Article, later: Article, within: timedelta) -> bool:
    if earlier.published_at is None or later.published_at is None:
        return False
    return abs(later.published_at - earlier.published_at) <= within
