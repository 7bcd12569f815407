"""Steps by name, for recipes that the settings define."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.documents.cleaning.clean import Clean
from headwater.documents.cleaning.normalise import normalise
from headwater.documents.dedupe.drop_duplicates import DropDuplicates
from headwater.documents.dedupe.drop_exact_duplicates import DropExactDuplicates
from headwater.documents.filters import KeepMatching
from headwater.documents.language.detect_language import DetectLanguage
from headwater.documents.mentions.find_mentions import FindMentions
from headwater.documents.mentions.matcher import build_subject_matcher
from headwater.documents.places.tag_places import TagPlaces
from headwater.documents.quality.parse_quality import ScoreQuality
from headwater.model.errors import Refused
from headwater.model.filters import DocumentFilter
from headwater.model.recipe import Step
from headwater.model.suggestion import suggest
from headwater.stories.document_vectors import DocumentEncoder, EmbedDocuments


@dataclass(frozen=True, slots=True, kw_only=True)
class StepParts:
    """What steps of a recipe share: its filter, the names of its sources and its encoder, if there are any."""

    keep: DocumentFilter | None = None
    source_names: Mapping[str, str] = field(default_factory=dict)
    encoder: DocumentEncoder | None = None


@dataclass(frozen=True, slots=True)
class NamedStep:
    """How a step is made; `options` are those that settings may give, each with its type."""

    make: Callable[..., Sequence[Step]]
    help: str
    options: Mapping[str, type] = field(default_factory=dict)


def _filter_step(parts: StepParts) -> Sequence[Step]:
    return () if parts.keep is None else (KeepMatching(parts.keep, parts.source_names),)


def _embed_step(parts: StepParts) -> Sequence[Step]:
    return () if parts.encoder is None else (EmbedDocuments(parts.encoder),)


NAMED_STEPS: Mapping[str, NamedStep] = {
    "normalise": NamedStep(lambda _: (normalise,), "Repair white space and characters."),
    "clean": NamedStep(lambda _: (Clean(),), "Remove lines that do not belong to the article."),
    "language": NamedStep(
        lambda _, **options: (DetectLanguage(**options),),
        "Detect the language.",
        {"paragraphs": int, "sure": float},
    ),
    "quality": NamedStep(lambda _: (ScoreQuality(),), "Score how well the document was read."),
    "places": NamedStep(lambda _: (TagPlaces(),), "Find the countries that are named."),
    "mentions": NamedStep(
        lambda _: (FindMentions(build_subject_matcher((), "words")),), "Find the subjects of the settings."
    ),
    "keep": NamedStep(_filter_step, "Drop what the filter `keep` does not let through."),
    "duplicates": NamedStep(lambda _: (DropDuplicates(),), "Recognise copies and near copies."),
    "exact_duplicates": NamedStep(
        lambda _: (DropExactDuplicates(),), "Recognise copies with the same text or address only."
    ),
    "embed": NamedStep(_embed_step, "Store a vector of the text, if headwater[nlp] is installed."),
}
DEFAULT_STEPS = ("normalise", "clean", "language", "quality", "mentions", "keep", "duplicates", "embed")


def make_steps(lines: Sequence[str | Mapping[str, Any]], parts: StepParts, where: str) -> tuple[Step, ...]:
    """The steps of these lines: a name, or a name with its options. With a filter and without a line for it, the filter
    comes before the search for duplicates, so that a document that is filtered out is the original of no other."""
    steps = [_parse_line(line, f"{where}[{number}]") for number, line in enumerate(lines)]
    names = [name for name, _ in steps]
    if parts.keep is not None and "keep" not in names:
        steps.insert(_filter_position(names), ("keep", {}))
    return tuple(step for name, options in steps for step in NAMED_STEPS[name].make(parts, **options))


def _filter_position(names: Sequence[str]) -> int:
    return next((i for i, name in enumerate(names) if name in {"duplicates", "exact_duplicates"}), len(names))


def _parse_line(line: str | Mapping[str, Any], where: str) -> tuple[str, dict[str, Any]]:
    options: Any = {}
    if isinstance(line, str):
        name = line
    elif len(line) == 1:
        name, options = next(iter(line.items()))
    else:
        raise Refused(
            "bad_config", f"{where}: write a name, or one name with its options: language: {{sure: 0.9}}"
        )
    if name not in NAMED_STEPS:
        raise Refused(
            "bad_config",
            f"{where}: there is no step '{name}'{suggest(name, NAMED_STEPS) or '.'} There are: {', '.join(NAMED_STEPS)}",
        )
    return name, _check_options(options, NAMED_STEPS[name].options, f"{where}.{name}")


def _check_options(options: Any, types: Mapping[str, type], where: str) -> dict[str, Any]:
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise Refused("bad_config", f"{where}: options are written as {{name: value}}")
    values = {}
    for name, value in options.items():
        if name not in types:
            others = f"it has: {', '.join(types)}" if types else "it has none"
            raise Refused("bad_config", f"{where}.{name}: this step has no such option; {others}")
        if isinstance(value, bool) or not isinstance(value, int if types[name] is int else int | float):
            raise Refused("bad_config", f"{where}.{name}: a number is needed, not {value!r}")
        values[name] = types[name](value)
    return values
