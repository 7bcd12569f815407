"""What kind of page it says it is."""

import re

from headwater.extract.html.metadata.evidence import Evidence
from headwater.extract.html.metadata.jsonld import types_of

ARTICLES = re.compile(
    r"Article$|Posting$|^Report$|^Recipe$|^Question$|^QAPage$|^HowTo$|^Event$|^PodcastEpisode$|Blog$"
)
_FORUM = re.compile(r"^DiscussionForumPosting$|^QAPage$|^Question$|^Comment$")
_GOODS = re.compile(r"^Product$|^ProductGroup$|^ItemPage$|^CollectionPage$|^IndividualProduct$")


def is_article(evidence: Evidence) -> bool:
    return _opened(evidence).startswith(("article", "blog", "news")) or _has(evidence, ARTICLES)


def is_forum(evidence: Evidence) -> bool:
    return _has(evidence, _FORUM)


def is_product(evidence: Evidence) -> bool:
    return _opened(evidence).startswith(("product", "og:product")) or _has(evidence, _GOODS)


def _opened(evidence: Evidence) -> str:
    return evidence.meta("og:type").lower()


def _has(evidence: Evidence, kinds: re.Pattern[str]) -> bool:
    return any(kinds.search(kind) for entry in evidence.linked_data for kind in types_of(entry))
