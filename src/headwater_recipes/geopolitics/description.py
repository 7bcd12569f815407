"""Describes a story: summary with its sources, topic, score with its components, publishers, alerts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from headwater.model.document import Document
from headwater.model.recipe import StoryContext
from headwater.model.story import Story
from headwater.stories.extractive_summary import SummarySource, summarise
from headwater.stories.llm.story_prompt import content_fingerprint
from headwater.stories.topics.media_topics import UNKNOWN_TOPIC
from headwater_recipes.geopolitics.alert_rules import AlertRules, StoryState, growth_base, rules_met
from headwater_recipes.geopolitics.hotspot import HotspotWeights, score_hotspot
from headwater_recipes.geopolitics.steps import flashpoint_of, topic_of

SENTENCES = 5
MOST_SUMMARISED = 15
MOST_DOMAINS, MOST_URLS, MOST_IMAGES = 10, 50, 20
UNCLASSIFIED = "unclassified"
LOCAL = "local"
LLM_SUMMARY_FIELDS = ("claims", "summary_by", "summary_origin")
"""Attributes of a summary that replaced the local one."""
NO_ALERT_STATE = StoryState(score=0.0, articles=0, topic=UNKNOWN_TOPIC)


@dataclass(frozen=True)
class DescribeStory:
    """Sets summary, score and attributes of a story. Its age counts from the newest article, not from the run."""

    rules: AlertRules = field(default_factory=AlertRules)
    scale: HotspotWeights = field(default_factory=HotspotWeights)
    titles: Mapping[str, str] = field(default_factory=dict)
    sentences: int = SENTENCES

    def __call__(self, context: StoryContext) -> Story:
        topic = main_topic(context.documents)
        attributes = {**self._flashpoint(context), **_coverage(context.documents), "topic": topic}
        attributes["content"] = content_fingerprint(
            (document.id, document.title, document.text) for document in context.documents
        )
        summary, attributes["claims"] = self._summary(context.documents)
        story = replace(context.story, summary=summary, attributes=attributes)
        story = with_llm_summary(self.age(story, context.now), context.before)
        return self._with_alerts(story, context.before)

    def age(self, story: Story, now: datetime) -> Story:
        """The story with its score as of now: scores fall with time."""
        attributes = story.attributes
        if "articles" not in attributes:
            return story
        hotspot = score_hotspot(
            int(attributes["articles"]),
            int(attributes["domains"]),
            story.last_at,
            str(attributes["topic"]["code"]),
            now=now,
            scale=self.scale,
        )
        components = {name: round(value, 4) for name, value in asdict(hotspot).items() if name != "score"}
        if story.score == hotspot.score and attributes.get("components") == components:
            return story
        scored = {"components": components, "scored_at": now.isoformat()}
        return replace(story, score=hotspot.score, attributes={**attributes, **scored})

    def _flashpoint(self, context: StoryContext) -> dict[str, Any]:
        flashpoints = (flashpoint_of(document) for document in context.documents)
        flashpoint = next((flashpoint for flashpoint in flashpoints if flashpoint), "")
        titles = (document.attributes.get("flashpoint_title") for document in context.documents)
        entry_title = next((str(title) for title in titles if title), "")
        title = self.titles.get(flashpoint, entry_title)
        return {
            "flashpoint": flashpoint,
            "flashpoint_title": title,
            "rank": context.rank,
            "scored_at": context.now.isoformat(),
        }

    def _summary(self, documents: Sequence[Document]) -> tuple[str, list[dict[str, Any]]]:
        claims = summarise(
            [SummarySource(document.id, document.text) for document in documents[:MOST_SUMMARISED]],
            self.sentences,
        )
        records = [{"text": claim.text, "documents": list(claim.documents)} for claim in claims]
        titles = _first_distinct((document.title for document in documents), SENTENCES)
        return " ".join(claim.text for claim in claims) or "; ".join(titles), records

    def _with_alerts(self, story: Story, before: Story | None) -> Story:
        """The story with the alert rules that its change meets. An unchanged story keeps its alert, which may not be
        delivered yet."""
        earlier = None if before is None else alert_state(before)
        if before is not None and earlier is not None and before.revision == story.revision:
            unchanged = {
                "alert": before.attributes.get("alert", []),
                "base": before.attributes.get("base", 0),
            }
            return replace(story, attributes={**story.attributes, **unchanged})
        state = alert_state(story) or NO_ALERT_STATE
        rules = rules_met(self.rules, state, earlier)
        base = growth_base(state, earlier, rules)
        return replace(story, attributes={**story.attributes, "alert": list(rules), "base": base})


def with_llm_summary(story: Story, before: Story | None) -> Story:
    """The story with the LLM summary of exactly these documents, if it had one before."""
    if before is None or before.attributes.get("content") != story.attributes["content"]:
        return story
    if before.attributes.get("summary_by", LOCAL) == LOCAL:
        return story
    fields = {name: before.attributes[name] for name in LLM_SUMMARY_FIELDS if name in before.attributes}
    return replace(story, summary=before.summary, attributes={**story.attributes, **fields})


def alert_state(story: Story) -> StoryState | None:
    """The state of a story that alert rules compare. None for a story that was never described."""
    attributes = story.attributes
    if "articles" not in attributes:
        return None
    return StoryState(
        score=story.score or 0.0,
        articles=int(attributes["articles"]),
        topic=str(attributes["topic"]["code"]),
        subjects=frozenset((str(attributes["flashpoint"]), *attributes["countries"])),
        base=int(attributes.get("base", 0)),
    )


def _coverage(documents: Sequence[Document]) -> dict[str, Any]:
    return {
        **_listing(documents),
        "domains": len({domain for document in documents if (domain := domain_of(document))}),
        "countries": [code for code, _ in _ranked(_countries(documents))],
        "days": _listings_by_day(documents),
        "summary_by": LOCAL,
    }


def _listing(documents: Sequence[Document]) -> dict[str, Any]:
    """What a list of articles shows of them."""
    domains = Counter(domain for document in documents if (domain := domain_of(document)))
    return {
        "articles": len(documents),
        "top_domains": [domain for domain, _ in _ranked(domains)[:MOST_DOMAINS]],
        "languages": sorted({document.language for document in documents if document.language}),
        "urls": _first_distinct((document.url for document in documents), MOST_URLS),
        "images": _first_distinct((document.image for document in documents), MOST_IMAGES),
    }


def _listings_by_day(documents: Sequence[Document]) -> dict[str, Any]:
    """For articles from day tables: what the table of each day shows."""
    by_day: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        if day := document.attributes.get("day"):
            by_day[str(day)].append(document)
    return {day: _listing(of_day) for day, of_day in sorted(by_day.items())}


def main_topic(documents: Sequence[Document]) -> dict[str, Any]:
    """The topic of most documents of a story. Of two equally frequent ones, the one with more confidence."""
    topics = [topic for document in documents if (topic := topic_of(document)) is not None]
    votes = Counter(str(topic["code"]) for topic in topics)
    if not votes:
        return {"code": UNKNOWN_TOPIC, "name": UNCLASSIFIED, "confidence": 0.0, "votes": 0}
    confidence = {
        code: max(topic["confidence"] for topic in topics if topic["code"] == code) for code in votes
    }
    best = min(votes, key=lambda code: (-votes[code], -confidence[code], code))
    name = next(str(topic["name"]) for topic in topics if topic["code"] == best)
    return {"code": best, "name": name, "confidence": confidence[best], "votes": votes[best]}


def domain_of(document: Document) -> str:
    """The domain of the publisher: as the entry names it, because an address may be a redirect of another site."""
    domain = str(document.attributes.get("domain") or urlsplit(document.url).hostname or "")
    return domain.casefold().removeprefix("www.")


def _countries(documents: Sequence[Document]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for document in documents:
        for place in document.attributes.get("geo_entities", ()):
            counts[place["alpha2"]] += int(place["count"])
    return counts


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _first_distinct(values: Iterable[str], most: int) -> list[str]:
    return list(dict.fromkeys(value for value in values if value))[:most]
