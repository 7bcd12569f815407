"""The options of this recipe in the settings."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from headwater.model.errors import Refused
from headwater.settings.llm import LlmEndpoint, check_endpoint
from headwater.settings.sources import parse_duration
from headwater.stories.topics.media_topics import UNKNOWN_TOPIC, topic_code
from headwater_recipes.geopolitics.alert_rules import AlertRules
from headwater_recipes.geopolitics.flashpoints import flashpoint_id

WHERE = "recipes.geopolitics.options"
COUNTRY_CODE_LENGTH = 2
LanguageCode = Annotated[str, msgspec.Meta(pattern="^[a-z]{2,3}$")]


class AlertOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`channels`: names under `notify`. `subjects`: flashpoints or country codes. `topics`: names or codes of IPTC
    top-level topics. A rule without a value is off."""

    channels: tuple[str, ...] = ()
    score: float | None = 0.7
    growth: float | None = 2.0
    topics: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    new_story: int | None = None
    silence: str | None = None


class EntityOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`model`: a token classifier in ONNX format with its tokenizer and config: a folder, or a name under `models`.
    `least`: the confidence below which names are left out."""

    model: str
    least: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5


class TranslationOptions(LlmEndpoint, frozen=True, forbid_unknown_fields=True):
    """Titles in other languages than `into` are translated by this endpoint. The original stays."""

    into: LanguageCode = "en"

    def __repr__(self) -> str:
        return LlmEndpoint.__repr__(self)


class GeopoliticsOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`tier`: A groups by words, B by meaning as well (extra `nlp`), C as B with summaries by an LLM. `profile`: how
    stories are divided. `settle`: how long after its last entry a flashpoint is grouped. `models`: the folder of models, by
    default the data folder. `model`: another encoder than that of the settings. `target_date`: the day table to read instead of
    the newest. `extract`: how pages are read: `blocks`, by our own reader; `cascade`, by trafilatura, readability-lxml, jusText and BoilerPy3 in
    this order, the next when a text has fewer than 200 characters (extra `readers`). `languages`: those of the readers, the best first: titles and summaries are in the first that a story has. `entities`: names by a model instead of by words and
    capital letters. `translation` is off by default."""

    tier: Literal["A", "B", "C"] = "A"
    profile: Literal["default", "reference"] = "default"
    settle: str = "10s"
    cron: str = "0 4 * * *"
    models: str | None = None
    model: str | None = None
    target_date: str | None = None
    entities: EntityOptions | None = None
    translation: TranslationOptions | None = None
    extract: Literal["blocks", "cascade"] = "blocks"
    languages: tuple[LanguageCode, ...] = ("en",)
    alerts: AlertOptions = AlertOptions()


def read_options(options: Mapping[str, Any]) -> GeopoliticsOptions:
    try:
        parsed = msgspec.convert(dict(options), GeopoliticsOptions)
    except msgspec.ValidationError as error:
        raise Refused("bad_config", f"{WHERE}: {error}") from error
    if parsed.profile == "reference" and parsed.tier == "A":
        raise Refused("bad_config", f"{WHERE}.profile: reference needs embeddings, so tier B or C")
    if parsed.translation is not None:
        check_endpoint(parsed.translation, f"{WHERE}.translation")
    return parsed


def read_alert_rules(alerts: AlertOptions) -> AlertRules:
    unknown = [topic for topic in alerts.topics if topic_code(topic) == UNKNOWN_TOPIC]
    if unknown:
        raise Refused("bad_config", f"{WHERE}.alerts.topics: '{unknown[0]}' is not an IPTC top-level topic")
    silence = alerts.silence
    return AlertRules(
        score=alerts.score,
        growth=alerts.growth,
        topics=frozenset(topic_code(topic) for topic in alerts.topics),
        subjects=frozenset(_subject(name) for name in alerts.subjects),
        new_story=alerts.new_story,
        silence=None if silence is None else parse_duration(silence, f"{WHERE}.alerts.silence"),
    )


def _subject(name: str) -> str:
    return name.upper() if len(name) == COUNTRY_CODE_LENGTH else flashpoint_id(name)
