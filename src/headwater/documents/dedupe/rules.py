"""The rungs: each looks for earlier documents in one way and says what the article is to them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from difflib import SequenceMatcher
from functools import partial
from types import MappingProxyType

import numpy as np

from headwater.documents.dedupe.articles import (
    Article,
    Decision,
    PairVerdict,
    guid_fingerprint,
    publication_order,
    seed_text_fingerprint,
    text_fingerprint,
    title_content_fingerprint,
    url_fingerprint,
)
from headwater.documents.dedupe.comparison import FRESH, SHORT, RepeatedSentences, compare_pages
from headwater.documents.dedupe.deduplicator import (
    DedupeCase,
    DedupeProfile,
    Deduplicator,
    MakeFingerprint,
    RuleMatch,
)
from headwater.documents.dedupe.index import DedupeIndex, MemoryIndex
from headwater.documents.dedupe.minhash import SCHEME, jaccard, sign_tokens
from headwater.documents.dedupe.page import ArticlePage
from headwater.documents.dedupe.tokens import mix_bits, tokenise

CANDIDATES = 6
LEAST_SUPPORT = 0.3
"""Less shared than this is a common phrase."""

CERTAIN = 0.9
"""A copy this good needs no further search."""

_SERIES = ("figures-replaced", "names-replaced", "another-occasion")


def same_fingerprint(
    rule: str, make: MakeFingerprint, *, checked: bool = True
) -> "Callable[[DedupeCase], Iterator[RuleMatch]]":
    """The same fingerprint is the same document. Checked: unless the address was given to another text."""

    def match(case: DedupeCase) -> Iterator[RuleMatch]:
        mine = case.fingerprint_of(make)
        document = case.index.same([mine]).get(mine) if mine else None
        if mine is None or document is None or document == case.article.id:
            return
        if checked and _other_text(case, document):
            yield RuleMatch(document, PairVerdict(relation="related", rule=f"{rule}-reused", score=0.5))
        else:
            yield RuleMatch(
                document, PairVerdict(relation="duplicate", rule=rule, score=1.0, evidence={rule: mine.value})
            )

    return match


def same_text(make: MakeFingerprint) -> "Callable[[DedupeCase], Iterator[RuleMatch]]":
    """Word for word the same: certain for a story of some length that came soon, a candidate otherwise."""

    def match(case: DedupeCase) -> Iterator[RuleMatch]:
        mine = case.fingerprint_of(make)
        document = case.index.same([mine]).get(mine) if mine else None
        earlier = case.index.article(document) if document and document != case.article.id else None
        if mine is None or earlier is None:
            return
        if len(case.page.body) >= SHORT and _soon(earlier, case.article, FRESH):
            verdict = PairVerdict(relation="duplicate", rule="text", score=1.0, evidence={"text": mine.value})
        else:
            verdict = _compare(case, earlier)
        yield RuleMatch(earlier.id, verdict)

    return match


def near_copy(case: DedupeCase) -> Iterator[RuleMatch]:
    """Candidates by shared keys, verified one by one; the best fresh copy first, then late ones, then the rest."""
    findings = list(_verified(case))
    copies = [finding for finding in findings if finding.verdict.relation == "duplicate"]
    copies.sort(key=lambda finding: (not _is_fresh(finding.verdict), -finding.verdict.score))
    for copy in copies:
        yield _as_series(case, copy) if _in_series(case, copy, findings) else copy
    yield from (finding for finding in findings if finding.verdict.relation != "duplicate")


def similar_minhash(threshold: float) -> "Callable[[DedupeCase], Iterator[RuleMatch]]":
    def match(case: DedupeCase) -> Iterator[RuleMatch]:
        mine = sign_tokens(case.page.title, case.page.body)
        for document, _ in case.proposed(CANDIDATES):
            earlier = case.index.article(document)
            page = case.pages.of(earlier) if earlier else None
            score = jaccard(mine, sign_tokens(page.title, page.body)) if page else 0.0
            if score >= threshold:
                yield RuleMatch(document, PairVerdict(relation="duplicate", rule="minhash", score=score))

    return match


def similar_title(threshold: float, within: timedelta) -> "Callable[[DedupeCase], Iterator[RuleMatch]]":
    """Fuzzy titles of the same publisher decide here; the default ladder never lets them."""

    def match(case: DedupeCase) -> Iterator[RuleMatch]:
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
                yield RuleMatch(document, PairVerdict(relation="duplicate", rule="fuzzy-title", score=score))

    return match


def _verified(case: DedupeCase) -> Iterator[RuleMatch]:
    for document, support in case.proposed(CANDIDATES):
        earlier = case.index.article(document)
        if earlier is None or support < LEAST_SUPPORT:
            continue
        verdict = _compare(case, earlier)
        yield RuleMatch(document, verdict)
        if verdict.relation == "duplicate" and verdict.score >= CERTAIN and _is_fresh(verdict):
            return


def _compare(case: DedupeCase, earlier: Article, *, recurring: bool = False) -> PairVerdict:
    old, new = case.pages.of(earlier), case.page
    return compare_pages(
        old, new, RepeatedSentences(_repeated(case, old), _repeated(case, new)), recurring=recurring
    )


def _repeated(case: DedupeCase, page: ArticlePage) -> frozenset[int]:
    return case.index.repeated(page.article.publisher, page.parts.hashes)


def _is_fresh(verdict: PairVerdict) -> bool:
    gap = verdict.evidence.get("gap")
    return gap is not None and gap <= FRESH


def _in_series(case: DedupeCase, copy: RuleMatch, findings: list[RuleMatch]) -> bool:
    """Another story of the same form with other figures or names was seen: this one is a report that recurs."""
    mine = case.index.original(copy.document)
    return any(
        finding.verdict.rule in _SERIES
        and finding.verdict.score >= 0.6
        and case.index.original(finding.document) != mine
        for finding in findings
    )


def _as_series(case: DedupeCase, finding: RuleMatch) -> RuleMatch:
    earlier = case.index.article(finding.document)
    return RuleMatch(finding.document, _compare(case, earlier, recurring=True)) if earlier else finding


def _other_text(case: DedupeCase, document: str) -> bool:
    earlier = case.index.article(document)
    if earlier is None or not earlier.body or not case.article.body:
        return False
    verdict = _compare(case, earlier)
    return verdict.relation == "new" and verdict.rule == "different"


def _soon(earlier: Article, later: Article, within: timedelta) -> bool:
    if earlier.published_at is None or later.published_at is None:
        return False
    return abs(later.published_at - earlier.published_at) <= within


def signature_keys(page: ArticlePage) -> tuple[int, ...]:
    return sign_tokens(page.title, page.body).keys


def publisher_days(page: ArticlePage) -> tuple[int, ...]:
    """Keys that bring together what one publisher published on neighbouring days."""
    when = page.article.published_at
    if when is None:
        return ()
    publisher = tokenise(page.article.publisher).hashes.sum(dtype=np.uint64, keepdims=True)
    day = int(when.timestamp()) // 86_400
    days = np.array([day, day + 1], dtype=np.uint64)
    return tuple(mix_bits(publisher + days).view(np.int64).tolist())


_seed_c_url = partial(url_fingerprint, url_rules="seed-c")

DEFAULT = DedupeProfile(
    name="default",
    version=1,
    scheme=SCHEME,
    prints=(url_fingerprint, guid_fingerprint, text_fingerprint),
    keys=signature_keys,
    rules=(
        same_fingerprint("url", url_fingerprint),
        same_fingerprint("guid", guid_fingerprint),
        same_text(text_fingerprint),
        near_copy,
    ),
)

SEED_C = DedupeProfile(
    name="seed-c",
    version=1,
    scheme="seed-c-1",
    prints=(_seed_c_url, guid_fingerprint, title_content_fingerprint),
    keys=publisher_days,
    rules=(
        same_fingerprint("url", _seed_c_url, checked=False),
        same_fingerprint("guid", guid_fingerprint, checked=False),
        same_fingerprint("title-content", title_content_fingerprint, checked=False),
        similar_title(0.9, timedelta(hours=24)),
    ),
)

SEED_G = DedupeProfile(
    name="seed-g",
    version=1,
    scheme=SCHEME,
    prints=(seed_text_fingerprint,),
    keys=signature_keys,
    rules=(same_fingerprint("text", seed_text_fingerprint, checked=False), similar_minhash(0.8)),
)

PROFILES: Mapping[str, DedupeProfile] = MappingProxyType({one.name: one for one in (DEFAULT, SEED_C, SEED_G)})


def dedupe_stream(
    articles: Iterable[Article], *, profile: DedupeProfile = DEFAULT, index: DedupeIndex | None = None
) -> Iterator[Decision]:
    """One decision per article, in the order of arrival, each made against those before it."""
    deduplicator = Deduplicator(profile, MemoryIndex() if index is None else index)
    return map(deduplicator.take, articles)


def dedupe_batch(
    articles: Iterable[Article], *, profile: DedupeProfile = DEFAULT, index: DedupeIndex | None = None
) -> list[Decision]:
    """Decide a batch from the earliest article to the latest, so that the order within it changes nothing."""
    return list(dedupe_stream(sorted(articles, key=publication_order), profile=profile, index=index))
