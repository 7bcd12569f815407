"""`headwater cluster`."""

import sys
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer

from headwater.cli.environment import settings_from
from headwater.cli.files.json_lines import (
    InvalidLine,
    decode_line,
    numbered_lines,
    open_lines,
    open_writer,
    parse_published_at,
    refuse_or_skip,
)
from headwater.cli.options import Quiet, global_options, single_command
from headwater.cli.render.console import format_count
from headwater.documents.embedding.encoder import open_encoder
from headwater.documents.embedding.models import nlp_installed
from headwater.model.errors import Refused
from headwater.model.story import Member, Story
from headwater.stories.clustering.build_stories import build_stories
from headwater.stories.clustering.similarity import ENCODER_TOKENS, StoryItem


def cluster(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(metavar="IN.jsonl", help="One article a line, also .gz or .xz; - is standard input."),
    ],
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write here instead of standard output.")
    ] = None,
    profile: Annotated[
        Literal["default", "reference"], typer.Option(help="How stories are found: default or reference.")
    ] = "default",
    earlier: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What an earlier call wrote: stories that go on keep their ids."),
    ] = None,
    words_only: Annotated[
        bool,
        typer.Option("--words-only", help="Compare words alone, also where an encoder is installed."),
    ] = False,
    model: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Another encoder: a folder with model.onnx and tokenizer.json."),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Name lines that cannot be read and go on; else stop there.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Put articles into stories.

    A line in: id, title, text, published_at, group; all but the id may be missing. No story spans two groups. A line out,
    in the order of the input: id, story, rank of the story in its group (1 is the largest), similarity to its centre.
    The order of the lines changes nothing. With the extra nlp sentence embeddings help; the summary goes to standard
    error and says which way it was.
    """
    for other in (path for path in (source, earlier) if path is not None and path != "-"):
        if out is not None and out.exists() and Path(other).exists() and out.samefile(other):
            raise Refused("same_file", "input and output are the same file")
    given_items = _read(source, skip=skip_bad)
    items = [one.item for one in given_items]
    before = _earlier(earlier)
    encode = None if words_only else _encoder(context, model, needed=profile == "reference")
    meanings = encode([item.encoder_text for item in items]) if encode and items else None
    stories = build_stories(items, meanings, profile=profile, earlier=before)
    with ExitStack() as stack:
        write = open_writer(stack, out)
        for record in _answers(given_items, stories):
            write(msgspec.json.encode(record).decode() + "\n")
    if not quiet:
        told = _summary(stories, "meaning and words" if encode else "words alone")
        sys.stderr.write((msgspec.json.encode(told).decode() if as_json else _sentence(told)) + "\n")


class ClusterLine(msgspec.Struct):
    id: int | str
    title: str | None = None
    text: str | None = None
    published_at: str | None = None
    group: str | None = None


class StoryAssignment(msgspec.Struct):
    id: int | str
    story: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class ClusterInput:
    name: int | str
    item: StoryItem


def _read(source: str, *, skip: bool) -> list[ClusterInput]:
    found: dict[str, ClusterInput] = {}
    with ExitStack() as stack:
        for number, line in numbered_lines(open_lines(source, stack), source):
            try:
                one = _given(line, found)
            except InvalidLine as error:
                refuse_or_skip(number, error, "article", skip=skip)
                continue
            found[one.item.id] = one
    return list(found.values())


def _given(line: bytes, found: Container[str]) -> ClusterInput:
    read = decode_line(line, ClusterLine)
    if str(read.id) in found:
        raise InvalidLine(f"the id {str(read.id)!r} was given to an earlier line")
    item = StoryItem(
        id=str(read.id),
        title=read.title or "",
        text=read.text or "",
        published_at=parse_published_at(read.published_at),
        group=read.group or "",
    )
    return ClusterInput(read.id, item)


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
                    "bad_line", f"{path}, line {number} is no answer of this verb: {error}"
                ) from None
            members[answer.group, answer.story].append(Member(str(answer.id)))
    return [
        Story(id=story, recipe="", group=group, title="", members=tuple(inside))
        for (group, story), inside in sorted(members.items())
    ]


def _encoder(
    context: typer.Context, model: Path | None, *, needed: bool
) -> Callable[[Sequence[str]], Any] | None:
    if not (nlp_installed() or needed or model):
        return None
    settings = settings_from(global_options(context))
    return open_encoder(
        settings.folder, model or settings.encoder or None, threads=0, max_tokens=ENCODER_TOKENS
    )


def _answers(items: Sequence[ClusterInput], stories: Sequence[Story]) -> Iterator[dict[str, Any]]:
    ranks: dict[str, int] = defaultdict(int)
    placed = {}
    for story in stories:
        ranks[story.group] += 1
        for member in story.members:
            placed[member.document] = (story, ranks[story.group], member.similarity)
    for one in items:
        story, rank, similarity = placed[one.item.id]
        record = {"id": one.name, "story": story.id, "rank": rank, "similarity": similarity}
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


def _sentence(told: dict[str, Any]) -> str:
    return (
        f"{format_count(told['articles'], 'article')}: {told['stories']} stories, {told['alone']} of one article, the largest of "
        f"{told['largest']}; compared by {told['compared']}"
    )


app = single_command(cluster)
