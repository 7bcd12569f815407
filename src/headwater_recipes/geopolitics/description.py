"""What is said of a story as a whole: summary with its sources, topic, score with its parts, who reports it."""

from collections import Counter
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
DOMAINS, ADDRESSES, IMAGES = 10, 50, 20
UNCLASSIFIED = "unclassified"
LOCAL = "local"
LLM_SUMMARY_FIELDS = ("claims", "summary_by", "summary_origin")
"""What a story says of a summary that replaced the local one."""
NO_ALERT_STATE = StoryState(score=0.0, articles=0, topic=UNKNOWN_TOPIC)


@dataclass(frozen=True)
class DescribeStory:
    """Describes a story. The newest article's own time counts, not the time of the run."""

    rules: AlertRules = field(default_factory=AlertRules)
    scale: HotspotWeights = field(default_factory=HotspotWeights)
    titles: Mapping[str, str] = field(default_factory=dict)
    sentences: int = SENTENCES

    def __call__(self, told: StoryContext) -> Story:
        topic = main_topic(told.documents)
        about = {**self._place(told), **_reported(told.documents), "topic": topic}
        about["content"] = content_fingerprint((d.id, d.title, d.text) for d in told.documents)
        summary, about["claims"] = self._summary(told.documents)
        story = replace(told.story, summary=summary, attributes=about)
        return self._judged(with_llm_summary(self.age(story, told.now), told.before), told.before)

    def age(self, story: Story, now: datetime) -> Story:
        """With its score as of now: an hour later the same story is less of a hotspot."""
        said = story.attributes
        if "articles" not in said:
            return story
        heat = score_hotspot(
            int(said["articles"]),
            int(said["domains"]),
            story.last_at,
            str(said["topic"]["code"]),
            now=now,
            scale=self.scale,
        )
        parts = {name: round(value, 4) for name, value in asdict(heat).items() if name != "score"}
        if story.score == heat.score and said.get("components") == parts:
            return story
        scored = {"components": parts, "scored_at": now.isoformat()}
        return replace(story, score=heat.score, attributes={**said, **scored})

    def _place(self, told: StoryContext) -> dict[str, Any]:
        flashpoint = next((found for d in told.documents if (found := flashpoint_of(d))), "")
        said = next((str(t) for d in told.documents if (t := d.attributes.get("flashpoint_title"))), "")
        title = self.titles.get(flashpoint, said)
        return {
            "flashpoint": flashpoint,
            "flashpoint_title": title,
            "rank": told.rank,
            "scored_at": told.now.isoformat(),
        }

    def _summary(self, documents: Sequence[Document]) -> tuple[str, list[dict[str, Any]]]:
        claims = summarise([SummarySource(d.id, d.text) for d in documents[:MOST_SUMMARISED]], self.sentences)
        told = [{"text": claim.text, "documents": list(claim.documents)} for claim in claims]
        titles = _some((document.title for document in documents), SENTENCES)
        return " ".join(claim.text for claim in claims) or "; ".join(titles), told

    def _judged(self, story: Story, before: Story | None) -> Story:
        """With the rules that this change meets. A story that did not change says what it said: its alert may be on
        its way."""
        earlier = None if before is None else alert_state(before)
        if before is not None and earlier is not None and before.revision == story.revision:
            said = {name: before.attributes.get(name, empty) for name, empty in (("alert", []), ("base", 0))}
            return replace(story, attributes={**story.attributes, **said})
        found = rules_met(self.rules, alert_state(story) or NO_ALERT_STATE, earlier)
        base = growth_base(alert_state(story) or NO_ALERT_STATE, earlier, found)
        return replace(story, attributes={**story.attributes, "alert": list(found), "base": base})


def with_llm_summary(story: Story, before: Story | None) -> Story:
    """With the summary that somebody wrote for these very documents, if the story had one."""
    if before is None or before.attributes.get("content") != story.attributes["content"]:
        return story
    if before.attributes.get("summary_by", LOCAL) == LOCAL:
        return story
    kept = {name: before.attributes[name] for name in LLM_SUMMARY_FIELDS if name in before.attributes}
    return replace(story, summary=before.summary, attributes={**story.attributes, **kept})


def alert_state(story: Story) -> StoryState | None:
    """How a story stands in the eyes of the rules; None for one that was never described."""
    said = story.attributes
    if "articles" not in said:
        return None
    return StoryState(
        score=story.score or 0.0,
        articles=int(said["articles"]),
        topic=str(said["topic"]["code"]),
        subjects=frozenset((str(said["flashpoint"]), *said["countries"])),
        base=int(said.get("base", 0)),
    )


def _reported(documents: Sequence[Document]) -> dict[str, Any]:
    domains = Counter(host for d in documents if (host := domain_of(d)))
    return {
        "articles": len(documents),
        "domains": len(domains),
        "top_domains": [host for host, _ in _ranked(domains)[:DOMAINS]],
        "languages": sorted({d.language for d in documents if d.language}),
        "countries": [code for code, _ in _ranked(_countries(documents))],
        "urls": _some((d.url for d in documents), ADDRESSES),
        "images": _some((d.image for d in documents), IMAGES),
        "days": sorted({str(day) for d in documents if (day := d.attributes.get("day"))}),
        "summary_by": LOCAL,
    }


def main_topic(documents: Sequence[Document]) -> dict[str, Any]:
    """What most of a story's own documents are about; of equals the surer one."""
    found = [topic for document in documents if (topic := topic_of(document)) is not None]
    votes = Counter(str(topic["code"]) for topic in found)
    if not votes:
        return {"code": UNKNOWN_TOPIC, "name": UNCLASSIFIED, "confidence": 0.0, "votes": 0}
    sure = {code: max(t["confidence"] for t in found if t["code"] == code) for code in votes}
    best = min(votes, key=lambda code: (-votes[code], -sure[code], code))
    name = next(str(topic["name"]) for topic in found if topic["code"] == best)
    return {"code": best, "name": name, "confidence": sure[best], "votes": votes[best]}


def domain_of(document: Document) -> str:
    """The publisher's own domain where the entry names it: an address may be a redirect of somebody else's."""
    told = str(document.attributes.get("domain") or urlsplit(document.url).hostname or "")
    return told.casefold().removeprefix("www.")


def _countries(documents: Sequence[Document]) -> Counter[str]:
    found: Counter[str] = Counter()
    for document in documents:
        for place in document.attributes.get("geo_entities", ()):
            found[place["alpha2"]] += int(place["count"])
    return found


def _ranked(counted: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


def _some(values: Iterable[str], most: int) -> list[str]:
    return list(dict.fromkeys(value for value in values if value))[:most]
