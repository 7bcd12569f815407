"""One article against everything seen: the rungs of a profile in order, then the entry to keep."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from headwater.pure.dupes.articles import Article, Decision, Verdict
from headwater.pure.dupes.exact import Fingerprint
from headwater.pure.dupes.index import Entry, Index
from headwater.pure.dupes.page import Page, page_of

PER_KEY = 40
"""So many holders of one key are looked at; a key that more share says little."""

PAGES = 512
"""Pages kept ready for comparison."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rung says about an earlier document."""

    document: str
    verdict: Verdict


Make = Callable[[Article], Fingerprint | None]


@dataclass(frozen=True, slots=True)
class Marks:
    """By what an article is recognised: its fingerprints by who makes them, and its keys."""

    made: Mapping[Make, Fingerprint | None]
    keys: tuple[int, ...]

    @property
    def prints(self) -> tuple[Fingerprint, ...]:
        return tuple(one for one in self.made.values() if one)


@dataclass(slots=True)
class Case:
    """The article being decided, and what the rungs may ask."""

    article: Article
    index: Index
    pages: "PageShelf"
    profile: "Profile"
    marks: Marks

    @property
    def page(self) -> Page:
        return self.pages.of(self.article)

    def print_of(self, make: Make) -> Fingerprint | None:
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


Rung = Callable[[Case], Iterator[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A ladder by name: which fingerprints and keys are kept, and which rungs are climbed in which order."""

    name: str
    version: int
    scheme: str
    prints: tuple[Make, ...]
    keys: Callable[[Page], tuple[int, ...]]
    rungs: tuple[Rung, ...]

    def marks(self, page: Page) -> Marks:
        return Marks({make: make(page.article) for make in self.prints}, self.keys(page))


@dataclass(slots=True)
class PageShelf:
    """The pages used last; reading one again costs a tenth of a millisecond, so a few hundred are enough."""

    _pages: dict[str, Page] = field(default_factory=dict)

    def of(self, article: Article) -> Page:
        page = self._pages.pop(article.id, None)
        if page is None or page.article is not article:
            page = page_of(article)
        self._pages[article.id] = page
        if len(self._pages) > PAGES:
            del self._pages[next(iter(self._pages))]
        return page


@dataclass(slots=True)
class Ladder:
    profile: Profile
    index: Index
    pages: PageShelf = field(default_factory=PageShelf)

    def decide(self, article: Article, marks: Marks | None = None) -> tuple[Decision, Entry]:
        """Decide one article, whose marks may be known already. Nothing is stored: hand the entry to the index once the
        decision stands."""
        page = self.pages.of(article)
        case = Case(
            article,
            self.index,
            self.pages,
            self.profile,
            self.profile.marks(page) if marks is None else marks,
        )
        decision = self._climb(case)
        entry = Entry(
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

    def _climb(self, case: Case) -> Decision:
        related: dict[str, Finding] = {}
        for rung in self.profile.rungs:
            for finding in rung(case):
                original = self.index.original(finding.document)
                if finding.verdict.answer == "duplicate":
                    return _decision(case.article, finding, duplicate_of=original)
                if finding.verdict.answer == "related":
                    related.setdefault(original, finding)
        if not related:
            return Decision(id=case.article.id)
        best = max(related.values(), key=lambda finding: finding.verdict.score)
        return _decision(case.article, best, related_to=tuple(related))


def _decision(
    article: Article, finding: Finding, *, duplicate_of: str | None = None, related_to: tuple[str, ...] = ()
) -> Decision:
    return Decision(
        id=article.id,
        duplicate_of=duplicate_of,
        related_to=related_to,
        rule=finding.verdict.rule,
        score=finding.verdict.score,
        evidence={"compared_with": finding.document, **finding.verdict.evidence},
    )
