"""`headwater cluster`."""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer

from headwater.cli.environment import settings_from
from headwater.cli.options import (
    ArticleFile,
    OutFile,
    Quiet,
    SkipBad,
    SummaryJson,
    global_options,
    single_command,
)
from headwater.cli.render.console import format_count
from headwater.cli.render.progress import ticking
from headwater.cli.standalone.article_lines import ArticleInput, read_articles
from headwater.cli.standalone.json_lines import (
    InvalidLine,
    decode_line,
    numbered_lines,
    open_lines,
    open_writer,
)
from headwater.documents.embedding.models import nlp_installed
from headwater.model.errors import Refused
from headwater.model.story import Member, Story
from headwater.stories.clustering.build_stories import build_stories
from headwater.stories.item_vectors import item_vectors, open_item_encoder, with_languages


def cluster(
    context: typer.Context,
    source: ArticleFile,
    *,
    out: OutFile = None,
    profile: Annotated[
        Literal["default", "reference"], typer.Option(help="Clustering profile: default or reference.")
    ] = "default",
    earlier: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Output of an earlier call: continued stories keep their ids."),
    ] = None,
    words_only: Annotated[
        bool,
        typer.Option("--words-only", help="Compare words only, even if an encoder is installed."),
    ] = False,
    model: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Another encoder: a folder with model.onnx and tokenizer.json."),
    ] = None,
    skip_bad: SkipBad = False,
    as_json: SummaryJson = False,
    quiet: Quiet = False,
) -> None:
    """Group articles into stories.

    Input: id, title, text, published_at, group, language; only the id is required. No story spans two groups. Output, in
    the order of the input: id, story, rank of the story in its group (1 is the largest), similarity to its centre. The order
    of the lines does not affect the result. The extra nlp adds sentence embeddings, by the multilingual encoder unless the
    articles are all English; the summary, on standard error, says whether they were used.
    """
    for path_read in (path for path in (source, earlier) if path is not None and path != "-"):
        if out is not None and out.exists() and Path(path_read).exists() and out.samefile(path_read):
            raise Refused("same_file", "input and output are the same file")
    inputs = read_articles(source, skip=skip_bad)
    items = [entry.item for entry in inputs]
    earlier_stories = _earlier(earlier)
    with ticking(f"comparing {format_count(len(items), 'article')}", quiet=quiet):
        vectors = None
        if items and not words_only and (nlp_installed() or profile == "reference" or model):
            items = with_languages(items)
            settings = settings_from(global_options(context))
            encoder = open_item_encoder(items, settings.folder, model or settings.encoder or None, threads=0)
            vectors = item_vectors(items, encoder)
        stories = build_stories(items, vectors, profile=profile, earlier=earlier_stories)
    with ExitStack() as stack:
        write = open_writer(stack, out)
        for record in _assignments(inputs, stories):
            write(msgspec.json.encode(record).decode() + "\n")
    if not quiet:
        summary = _summary(stories, "words alone" if vectors is None else "meaning and words")
        sys.stderr.write((msgspec.json.encode(summary).decode() if as_json else _sentence(summary)) + "\n")


class StoryAssignment(msgspec.Struct):
    id: int | str
    story: str
    group: str = ""


def _earlier(path: Path | None) -> list[Story]:
    if path is None:
        return []
    members: dict[tuple[str, str], list[Member]] = defaultdict(list)
    with ExitStack() as stack:
        for number, line in numbered_lines(open_lines(str(path), stack), str(path)):
            try:
                answer = decode_line(line, StoryAssignment)
            except InvalidLine as error:
                raise Refused(
                    "bad_line", f"{path}, line {number} is not output of this command: {error}"
                ) from None
            members[answer.group, answer.story].append(Member(str(answer.id)))
    return [
        Story(id=story, recipe="", group=group, title="", members=tuple(story_members))
        for (group, story), story_members in sorted(members.items())
    ]


def _assignments(items: Sequence[ArticleInput], stories: Sequence[Story]) -> Iterator[dict[str, Any]]:
    ranks: dict[str, int] = defaultdict(int)
    placements = {}
    for story in stories:
        ranks[story.group] += 1
        for member in story.members:
            placements[member.document] = (story, ranks[story.group], member.similarity)
    for entry in items:
        story, rank, similarity = placements[entry.item.id]
        record = {"id": entry.name, "story": story.id, "rank": rank, "similarity": similarity}
        yield record | ({"group": story.group} if story.group else {})


def _summary(stories: Sequence[Story], compared: str) -> dict[str, Any]:
    sizes = [len(story.members) for story in stories]
    return {
        "articles": sum(sizes),
        "stories": len(sizes),
        "alone": sizes.count(1),
        "largest": max(sizes, default=0),
        "compared": compared,
    }


def _sentence(summary: dict[str, Any]) -> str:
    return (
        f"{format_count(summary['articles'], 'article')}: {summary['stories']} stories, {summary['alone']} of one article, the largest of "
        f"{summary['largest']}; compared by {summary['compared']}"
    )


app = single_command(cluster)
