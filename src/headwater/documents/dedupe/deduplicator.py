"""One article against everything seen: the rungs of a profile in order, then the entry to keep."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from headwater.documents.dedupe.articles import Article, Decision, PairVerdict, TraceFingerprint
from headwater.documents.dedupe.index import DedupeIndex, IndexEntry
from headwater.documents.dedupe.page import ArticlePage, page_of

PER_KEY = 40
"""So many holders of one key are looked at; a key that more share says little."""

PAGES = 512
"""Pages kept ready for comparison."""


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """What a rung says about an earlier document."""

    document: str
    verdict: PairVerdict


MakeFingerprint = Callable[[Article], TraceFingerprint | None]


@dataclass(frozen=True, slots=True)
class ArticleKeys:
    """By what an article is recognised: its fingerprints by who makes them, and its keys."""

    made: Mapping[MakeFingerprint, TraceFingerprint | None]
    keys: tuple[int, ...]

    @property
    def prints(self) -> tuple[TraceFingerprint, ...]:
        return tuple(one for one in self.made.values() if one)


@dataclass(slots=True)
class DedupeCase:
    """The article being decided, and what the rungs may ask."""

    article: Article
    index: DedupeIndex
    pages: "PageCache"
    profile: "DedupeProfile"
    marks: ArticleKeys

    @property
    def page(self) -> ArticlePage:
        return self.pages.of(self.article)

    def fingerprint_of(self, make: MakeFingerprint) -> TraceFingerprint | None:
        made = self.marks.made
        return made[make] if make in made else make(self.article)

    def proposed(self, limit: int) -> list[tuple[str, float]]:
        """Earlier documents by shared keys, rare keys counting more; the best first, then the newest."""
        weights: defaultdict[str, float] = defaultdict(float)
        for documents in self.index.holders(self.profile.scheme, self.marks.keys, PER_KEY).values():
            for document in documents:
                weights[document] += 1 / len(documents)
        weights.pop(self.article.id, None)
        return sorted(weights.items(), key=lambda item: -item[1])[:limit]


Rule = Callable[[DedupeCase], Iterator[RuleMatch]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupeProfile:
    """A ladder by name: which fingerprints and keys are kept, and which rungs are climbed in which order."""

    name: str
    version: int
    scheme: str
    prints: tuple[MakeFingerprint, ...]
    keys: Callable[[ArticlePage], tuple[int, ...]]
    rules: tuple[Rule, ...]

    def marks(self, page: ArticlePage) -> ArticleKeys:
        return ArticleKeys({make: make(page.article) for make in self.prints}, self.keys(page))


@dataclass(slots=True)
class PageCache:
    """The pages used last; reading one again costs a tenth of a millisecond, so a few hundred are enough."""

    _pages: dict[str, ArticlePage] = field(default_factory=dict)

    def of(self, article: Article) -> ArticlePage:
        page = self._pages.pop(article.id, None)
        if page is None or page.article is not article:
            page = page_of(article)
        self._pages[article.id] = page
        if len(self._pages) > PAGES:
            del self._pages[next(iter(self._pages))]
        return page


@dataclass(slots=True)
class Deduplicator:
    profile: DedupeProfile
    index: DedupeIndex
    pages: PageCache = field(default_factory=PageCache)

    def decide(self, article: Article, marks: ArticleKeys | None = None) -> tuple[Decision, IndexEntry]:
        """Decide one article, whose marks may be known already. Nothing is stored: hand the entry to the index once the
        decision stands."""
        page = self.pages.of(article)
        case = DedupeCase(
            article,
            self.index,
            self.pages,
            self.profile,
            self.profile.marks(page) if marks is None else marks,
        )
        decision = self._apply_rules(case)
        entry = IndexEntry(
            article=article,
            original=decision.duplicate_of or article.id,
            scheme=self.profile.scheme,
            fingerprints=case.marks.prints,
            keys=case.marks.keys,
            sentences=tuple(dict.fromkeys(page.parts.hashes)),
        )
        return decision, entry

    def take(self, article: Article) -> Decision:
        """Decide and remember."""
        decision, entry = self.decide(article)
        self.index.add(entry)
        return decision

    def _apply_rules(self, case: DedupeCase) -> Decision:
        related: dict[str, RuleMatch] = {}
        for apply_rule in self.profile.rules:
            for finding in apply_rule(case):
                original = self.index.original(finding.document)
                if finding.verdict.relation == "duplicate":
                    return _decision(case.article, finding, duplicate_of=original)
                if finding.verdict.relation == "related":
                    related.setdefault(original, finding)
        if not related:
            return Decision(id=case.article.id)
        best = max(related.values(), key=lambda finding: finding.verdict.score)
        return _decision(case.article, best, related_to=tuple(related))


def _decision(
    article: Article, finding: RuleMatch, *, duplicate_of: str | None = None, related_to: tuple[str, ...] = ()
) -> Decision:
    return Decision(
        id=article.id,
        duplicate_of=duplicate_of,
        related_to=related_to,
        rule=finding.verdict.rule,
        score=finding.verdict.score,
        evidence={"compared_with": finding.document, **finding.verdict.evidence},
    )
