"""`headwater topics`."""

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from headwater.cli.environment import settings_from
from headwater.cli.options import Quiet, global_options, single_command
from headwater.cli.render.console import format_count
from headwater.cli.standalone.article_lines import read_articles
from headwater.cli.standalone.json_lines import open_writer
from headwater.documents.embedding.build import MULTILINGUAL
from headwater.documents.embedding.models import nlp_installed
from headwater.model.errors import Refused
from headwater.stories.clustering.similarity import StoryItem
from headwater.stories.item_vectors import item_vectors, open_item_encoder, with_languages
from headwater.stories.topics.classifier import Topic
from headwater.stories.topics.classify import classify_by_vectors, classify_by_words
from headwater.stories.topics.media_topics import TOPIC_NAMES, UNKNOWN_TOPIC


def topics(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN.jsonl", help="One article per line, optionally .gz or .xz; - is standard input."
        ),
    ],
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write here instead of standard output.")
    ] = None,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Use words only, even if an encoder is installed.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Report lines that cannot be read and continue; default: stop.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Classify articles by the 17 top-level IPTC Media Topics.

    Input: id, title, text, language; only the id is required. Output, in the order of the input: id, topic (a code such as
    16000000, or null), score (its confidence), second (the next likely code) and reason (why there is no topic: unsure or
    no_text). With the extra nlp in many languages, otherwise in English.
    """
    if source != "-" and out is not None and out.exists() and Path(source).exists() and out.samefile(source):
        raise Refused("same_file", "input and output are the same file")
    inputs = read_articles(source, skip=skip_bad)
    results = _classify(context, [entry.item for entry in inputs], words_only=words_only)
    with ExitStack() as stack:
        write = open_writer(stack, out)
        for entry, topic in zip(inputs, results, strict=True):
            write(msgspec.json.encode({"id": entry.name, **_record(topic, entry.item)}).decode() + "\n")
    if not quiet:
        counts = Counter(topic.name for topic in results)
        sys.stderr.write((msgspec.json.encode(counts).decode() if as_json else _sentence(counts)) + "\n")


def _classify(context: typer.Context, items: Sequence[StoryItem], *, words_only: bool) -> list[Topic]:
    if not items or words_only or not nlp_installed():
        return classify_by_words(items)
    items = with_languages(items)
    folder = settings_from(global_options(context)).folder
    encoder = open_item_encoder(items, folder, MULTILINGUAL.name, threads=0)
    return classify_by_vectors(items, item_vectors(items, encoder), encoder.name)


def _record(topic: Topic, item: StoryItem) -> dict[str, Any]:
    is_known = topic.code != UNKNOWN_TOPIC
    return {
        "topic": topic.code if is_known else None,
        "name": TOPIC_NAMES.get(topic.code),
        "score": topic.confidence,
        "second": topic.second or None,
        "reason": None if is_known else "unsure" if item.has_words else "no_text",
    }


def _sentence(counts: Counter[str]) -> str:
    listed = ", ".join(f"{name} {count}" for name, count in counts.most_common())
    return f"{format_count(counts.total(), 'article')}: {listed}" if counts else "no articles"


app = single_command(topics)
