"""Decides about one article against everything stored: the rules of a profile in order, then the entry to keep."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.documents.dedupe.articles import Article, ArticleFingerprint, Decision, PairVerdict
from headwater.documents.dedupe.index import DedupeIndex, IndexEntry
from headwater.documents.dedupe.page import ArticlePage, page_of, pages_of

PER_KEY = 40
"""Documents read per key; a key that more documents share carries little evidence."""

CACHED_PAGES = 512


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """What a rule says about an earlier document."""

    document: str
    verdict: PairVerdict


MakeFingerprint = Callable[[Article], ArticleFingerprint | None]


@dataclass(frozen=True, slots=True)
class ArticleKeys:
    """What identifies an article: its fingerprints, by the function that makes them, and its lookup keys."""

    by_function: Mapping[MakeFingerprint, ArticleFingerprint | None]
    keys: tuple[int, ...]

    @property
    def fingerprints(self) -> tuple[ArticleFingerprint, ...]:
        return tuple(fingerprint for fingerprint in self.by_function.values() if fingerprint)


@dataclass(slots=True)
class DedupeCase:
    """The article to decide about, and what the rules may read."""

    article: Article
    index: DedupeIndex
    pages: "PageCache"
    profile: "DedupeProfile"
    article_keys: ArticleKeys

    @property
    def page(self) -> ArticlePage:
        return self.pages.get(self.article)

    def fingerprint_of(self, make: MakeFingerprint) -> ArticleFingerprint | None:
        by_function = self.article_keys.by_function
        return by_function[make] if make in by_function else make(self.article)

    def candidates(self, limit: int) -> list[tuple[str, float]]:
        """Earlier documents by shared keys, rare keys counting more; the best first, then the newest."""
        weights: defaultdict[str, float] = defaultdict(float)
        for documents in self.index.holders(self.profile.scheme, self.article_keys.keys, PER_KEY).values():
            for document in documents:
                weights[document] += 1 / len(documents)
        weights.pop(self.article.id, None)
        return sorted(weights.items(), key=lambda item: -item[1])[:limit]


Rule = Callable[[DedupeCase], Iterator[RuleMatch]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupeProfile:
    """Named dedupe rules: which fingerprints and keys are stored, and which rules apply in which order."""

    name: str
    version: int
    scheme: str
    fingerprints: tuple[MakeFingerprint, ...]
    keys: Callable[[Sequence[ArticlePage]], Sequence[tuple[int, ...]]]
    rules: tuple[Rule, ...]
    least_support: float = 0.0
    """Candidates with less are not read."""

    def keys_of(self, pages: Sequence[ArticlePage]) -> list[ArticleKeys]:
        return [
            ArticleKeys({make: make(page.article) for make in self.fingerprints}, keys)
            for page, keys in zip(pages, self.keys(pages), strict=True)
        ]


@dataclass(slots=True)
class PageCache:
    """The pages used last. Preparing one takes a tenth of a millisecond, half of that among others, so a few hundred are enough."""

    _pages: dict[str, ArticlePage] = field(default_factory=dict)

    def get(self, article: Article) -> ArticlePage:
        page = self._pages.pop(article.id, None)
        if page is None or page.article is not article:
            page = page_of(article)
        self._keep(page)
        return page

    def get_all(self, articles: Sequence[Article]) -> list[ArticlePage]:
        """Those that are missing are prepared together."""
        prepared = {
            page.article.id: page
            for page in pages_of([article for article in articles if not self._has(article)])
        }
        for article, page in prepared.items():
            self._pages.pop(article, None)
            self._keep(page)
        return [prepared.get(article.id) or self.get(article) for article in articles]

    def _has(self, article: Article) -> bool:
        page = self._pages.get(article.id)
        return page is not None and page.article is article

    def _keep(self, page: ArticlePage) -> None:
        self._pages[page.article.id] = page
        if len(self._pages) > CACHED_PAGES:
            del self._pages[next(iter(self._pages))]


@dataclass(slots=True)
class Deduplicator:
    profile: DedupeProfile
    index: DedupeIndex
    pages: PageCache = field(default_factory=PageCache)

    def decide(
        self, article: Article, article_keys: ArticleKeys | None = None
    ) -> tuple[Decision, IndexEntry]:
        """Decide about one article. Nothing is stored: add the entry to the index once the decision stands."""
        page = self.pages.get(article)
        if article_keys is None:
            (article_keys,) = self.profile.keys_of([page])
        case = DedupeCase(article, self.index, self.pages, self.profile, article_keys)
        decision = self._apply_rules(case)
        entry = IndexEntry(
            article=article,
            original=decision.duplicate_of or article.id,
            scheme=self.profile.scheme,
            fingerprints=article_keys.fingerprints,
            keys=article_keys.keys,
            sentences=tuple(dict.fromkeys(page.sentences.hashes)),
        )
        return decision, entry

    def add(self, article: Article) -> Decision:
        """Decide about an article and add it to the index."""
        decision, entry = self.decide(article)
        self.index.add(entry)
        return decision

    def _apply_rules(self, case: DedupeCase) -> Decision:
        related: dict[str, RuleMatch] = {}
        superseded: dict[str, RuleMatch] = {}
        for apply_rule in self.profile.rules:
            for match in apply_rule(case):
                original = self.index.original(match.document)
                if match.verdict.relation == "duplicate" and self._is_part_of(original, case.article):
                    superseded.setdefault(original, match)
                elif match.verdict.relation == "duplicate":
                    return _decision(case.article, match, duplicate_of=original)
                elif match.verdict.relation == "related":
                    related.setdefault(original, match)
        matches = superseded or related
        if not matches:
            return Decision(id=case.article.id)
        best = max(matches.values(), key=lambda match: match.verdict.score)
        others = tuple(original for original in related if original not in superseded)
        return _decision(case.article, best, related_to=others, superseded=tuple(superseded))

    def _is_part_of(self, document: str, article: Article) -> bool:
        """Whether the document has a part of the text and the article the whole."""
        earlier = self.index.article(document)
        return earlier is not None and earlier.partial and not article.partial


def _decision(
    article: Article,
    match: RuleMatch,
    *,
    duplicate_of: str | None = None,
    related_to: tuple[str, ...] = (),
    superseded: tuple[str, ...] = (),
) -> Decision:
    return Decision(
        id=article.id,
        duplicate_of=duplicate_of,
        related_to=related_to,
        superseded=superseded,
        rule=match.verdict.rule,
        score=match.verdict.score,
        evidence={"compared_with": match.document, **match.verdict.evidence},
    )
