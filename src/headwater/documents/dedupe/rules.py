"""The dedupe rules and the profiles that combine them.

Each rule looks for earlier documents in one way and says how the article relates to them. The name and version of a
profile are stored with its decisions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from difflib import SequenceMatcher
from functools import partial
from types import MappingProxyType

import numpy as np

from headwater.documents.dedupe.articles import (
    Article,
    PairVerdict,
    guid_fingerprint,
    nfkd_text_fingerprint,
    text_fingerprint,
    title_content_fingerprint,
    url_fingerprint,
)
from headwater.documents.dedupe.comparison import FRESH, SHORT, SHORT_NOTICE, RepeatedSentences, compare_pages
from headwater.documents.dedupe.deduplicator import (
    DedupeCase,
    DedupeProfile,
    MakeFingerprint,
    Rule,
    RuleMatch,
)
from headwater.documents.dedupe.minhash import SCHEME, jaccard, keys_of_pages, sign_tokens
from headwater.documents.dedupe.page import ArticlePage, whole_view
from headwater.documents.dedupe.tokens import mix_bits, tokenise
from headwater.text.folding import fold_text

CANDIDATES = 6
MIN_SUPPORT = 0.3
"""Articles that share less have a common phrase only."""

CERTAIN = 0.9
"""A duplicate with this score ends the search."""

SUMMARY_COVERAGE = 0.8
"""The share of a summary's words that its article contains."""

_SUMMARISED = ("overlap", "known-facts")
_SERIES = ("figures-replaced", "names-replaced", "another-occasion")


def same_fingerprint(rule: str, make: MakeFingerprint, *, checked: bool = True) -> Rule:
    """The same fingerprint is the same document; `checked`: unless its text is a different one."""

    def match(case: DedupeCase) -> Iterator[RuleMatch]:
        fingerprint = case.fingerprint_of(make)
        document = case.index.owners([fingerprint]).get(fingerprint) if fingerprint else None
        if fingerprint is None or document is None or document == case.article.id:
            return
        if checked and _has_other_text(case, document):
            yield RuleMatch(document, PairVerdict(relation="related", rule=f"{rule}-reused", score=0.5))
        else:
            yield RuleMatch(
                document,
                PairVerdict(relation="duplicate", rule=rule, score=1.0, evidence={rule: fingerprint.value}),
            )

    return match


def same_text(make: MakeFingerprint) -> Rule:
    """Word for word the same: a duplicate if it is long and recent enough, otherwise compared in detail. If either date is missing,
    nothing says that the same notice was published again, so that the same words are a duplicate, whatever their titles; only
    very short texts, which may name their subject in the title alone, need the same one."""

    def match(case: DedupeCase) -> Iterator[RuleMatch]:
        fingerprint = case.fingerprint_of(make)
        document = case.index.owners([fingerprint]).get(fingerprint) if fingerprint else None
        earlier = case.index.article(document) if document and document != case.article.id else None
        if fingerprint is None or earlier is None:
            return
        if _is_repeated(len(case.page.body), earlier, case.article):
            lead = whole_view(case.page).passage(0, 0)
            verdict = PairVerdict(
                relation="duplicate",
                rule="text",
                score=1.0,
                evidence={"text": fingerprint.value, "passages": (lead, lead)},
            )
        else:
            verdict = _compare(case, earlier)
        yield RuleMatch(earlier.id, verdict)

    return match


def _is_repeated(length: int, earlier: Article, later: Article) -> bool:
    if earlier.published_at is None or later.published_at is None:
        return length >= SHORT_NOTICE or fold_text(earlier.title) == fold_text(later.title)
    return length >= SHORT and _soon(earlier, later, FRESH)


def near_copy(case: DedupeCase) -> Iterator[RuleMatch]:
    """Candidates by shared keys, verified one by one: the best recent duplicate first, then late ones, then the others."""
    matches = list(_verified_candidates(case))
    duplicates = [match for match in matches if match.verdict.relation == "duplicate"]
    duplicates.sort(key=lambda match: (not _is_fresh(match.verdict), -match.verdict.score))
    for duplicate in duplicates:
        yield _as_series(case, duplicate) if _in_series(case, duplicate, matches) else duplicate
    yield from (match for match in matches if match.verdict.relation != "duplicate")


def similar_minhash(threshold: float) -> Rule:
    def match(case: DedupeCase) -> Iterator[RuleMatch]:
        signature = sign_tokens(case.page.title, case.page.body)
        for document, _ in case.candidates(CANDIDATES):
            earlier = case.index.article(document)
            page = case.pages.get(earlier) if earlier else None
            score = jaccard(signature, sign_tokens(page.title, page.body)) if page else 0.0
            if score >= threshold:
                yield RuleMatch(document, PairVerdict(relation="duplicate", rule="minhash", score=score))

    return match


def similar_title(threshold: float, within: timedelta) -> Rule:
    """Similar titles of the same publisher are duplicates. The default profile does not use this rule."""

    def match(case: DedupeCase) -> Iterator[RuleMatch]:
        for document, _ in case.candidates(200):
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


def _verified_candidates(case: DedupeCase) -> Iterator[RuleMatch]:
    for document, support in case.candidates(CANDIDATES):
        earlier = case.index.article(document) if support >= MIN_SUPPORT else None
        if earlier is None:
            continue
        verdict = _compare(case, earlier)
        yield RuleMatch(document, verdict)
        if verdict.relation == "duplicate" and verdict.score >= CERTAIN and _is_fresh(verdict):
            return


def _compare(case: DedupeCase, earlier: Article, *, recurring: bool = False) -> PairVerdict:
    earlier_page, later_page = case.pages.get(earlier), case.page
    verdict = compare_pages(
        earlier_page,
        later_page,
        RepeatedSentences(_repeated(case, earlier_page), _repeated(case, later_page)),
        recurring=recurring,
    )
    return as_summary(verdict, earlier, case.article)


def as_summary(verdict: PairVerdict, earlier: Article, later: Article) -> PairVerdict:
    """A summary that the whole text contains is the same article, not a digest of it."""
    if earlier.partial == later.partial or verdict.rule not in _SUMMARISED or not _is_fresh(verdict):
        return verdict
    coverage = verdict.evidence["earlier_coverage" if earlier.partial else "later_coverage"]
    if coverage < SUMMARY_COVERAGE:
        return verdict
    return replace(verdict, relation="duplicate", rule="summary")


def _repeated(case: DedupeCase, page: ArticlePage) -> frozenset[int]:
    return case.index.repeated_sentences(page.article.publisher, page.sentences.hashes)


def _is_fresh(verdict: PairVerdict) -> bool:
    gap = verdict.evidence.get("gap")
    return gap is not None and gap <= FRESH


def _in_series(case: DedupeCase, duplicate: RuleMatch, matches: list[RuleMatch]) -> bool:
    """Whether another story of the same form with other figures or names exists: the report recurs."""
    original = case.index.original(duplicate.document)
    return any(
        match.verdict.rule in _SERIES
        and match.verdict.score >= 0.6
        and case.index.original(match.document) != original
        for match in matches
    )


def _as_series(case: DedupeCase, match: RuleMatch) -> RuleMatch:
    earlier = case.index.article(match.document)
    return RuleMatch(match.document, _compare(case, earlier, recurring=True)) if earlier else match


def _has_other_text(case: DedupeCase, document: str) -> bool:
    earlier = case.index.article(document)
    if earlier is None or not earlier.body or not case.article.body:
        return False
    if earlier.partial or case.article.partial:
        return False  # a summary may be in other words than the text
    verdict = _compare(case, earlier)
    return verdict.relation == "new" and verdict.rule == "different"


def _soon(earlier: Article, later: Article, within: timedelta) -> bool:
    if earlier.published_at is None or later.published_at is None:
        return False
    return abs(later.published_at - earlier.published_at) <= within


def signature_keys(pages: Sequence[ArticlePage]) -> list[tuple[int, ...]]:
    return keys_of_pages([(page.title, page.body) for page in pages])


def publisher_days(pages: Sequence[ArticlePage]) -> list[tuple[int, ...]]:
    """Keys shared by articles of one publisher on adjacent days."""
    return list(map(_days_of_publisher, pages))


def _days_of_publisher(page: ArticlePage) -> tuple[int, ...]:
    published_at = page.article.published_at
    if published_at is None:
        return ()
    publisher = tokenise(page.article.publisher).hashes.sum(dtype=np.uint64, keepdims=True)
    day = int(published_at.timestamp()) // 86_400
    days = np.array([day, day + 1], dtype=np.uint64)
    return tuple(mix_bits(publisher + days).view(np.int64).tolist())


_url_without_campaign = partial(url_fingerprint, url_rules="campaign")

DEFAULT = DedupeProfile(
    name="default",
    version=1,
    scheme=SCHEME,
    fingerprints=(url_fingerprint, guid_fingerprint, text_fingerprint),
    keys=signature_keys,
    rules=(
        same_fingerprint("url", url_fingerprint),
        same_fingerprint("guid", guid_fingerprint),
        same_text(text_fingerprint),
        near_copy,
    ),
    least_support=MIN_SUPPORT,
)

TITLES = DedupeProfile(
    name="titles",
    version=1,
    scheme="titles-1",
    fingerprints=(_url_without_campaign, guid_fingerprint, title_content_fingerprint),
    keys=publisher_days,
    rules=(
        same_fingerprint("url", _url_without_campaign, checked=False),
        same_fingerprint("guid", guid_fingerprint, checked=False),
        same_fingerprint("title-content", title_content_fingerprint, checked=False),
        similar_title(0.9, timedelta(hours=24)),
    ),
)

MINHASH = DedupeProfile(
    name="minhash",
    version=1,
    scheme=SCHEME,
    fingerprints=(nfkd_text_fingerprint,),
    keys=signature_keys,
    rules=(same_fingerprint("text", nfkd_text_fingerprint, checked=False), similar_minhash(0.8)),
)

PROFILES: Mapping[str, DedupeProfile] = MappingProxyType(
    {profile.name: profile for profile in (DEFAULT, TITLES, MINHASH)}
)
