"""`headwater dedupe`."""

import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import msgspec
import typer

from headwater.cli.files.json_lines import (
    InvalidLine,
    decode_line,
    numbered_lines,
    open_lines,
    open_writer,
    parse_published_at,
    refuse_or_skip,
)
from headwater.cli.options import Quiet, single_command
from headwater.cli.render.console import error_console, format_count
from headwater.cli.render.progress import Throttle
from headwater.documents.dedupe.articles import Article, Decision
from headwater.documents.dedupe.deduplicator import Deduplicator
from headwater.documents.dedupe.index import MemoryIndex
from headwater.documents.dedupe.rules import PROFILES
from headwater.model.errors import Refused

TELL_EVERY = 0.3


def dedupe(
    source: Annotated[
        str,
        typer.Argument(metavar="IN.jsonl", help="One article a line, also .gz or .xz; - is standard input."),
    ],
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write here instead of standard output.")
    ] = None,
    profile: Annotated[
        Literal["default", "seed-c", "seed-g"],
        typer.Option(help="The dedupe rules: default, seed-c or seed-g."),
    ] = "default",
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Add what was measured to every answer.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Name lines that cannot be read and go on; else stop there.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Recognise duplicates among articles, in one pass and in the order of the lines.

    A line in: id, url, guid, publisher, published_at, title, body; all but the id may be missing. A line out: id,
    duplicate_of, related_to, rule, score. Nothing is stored and no installation is needed; the articles stay in
    memory, some 15 kB each beside their text. The summary goes to standard error.
    """
    if out is not None and source != "-" and out.exists() and out.samefile(source):
        raise Refused("same_file", "input and output are the same file")
    index = MemoryIndex()
    deduplicator = Deduplicator(PROFILES[profile], index)
    counts, names = DedupeCounts(), InputIds(index)
    with ExitStack() as stack:
        lines = open_lines(source, stack)
        write = open_writer(stack, out)
        telling = stack.enter_context(DedupeProgress(counts, quiet=quiet))
        for number, line in numbered_lines(lines, source):
            try:
                article = names.article(line)
            except InvalidLine as error:
                refuse_or_skip(number, error, "article", skip=skip_bad)
                counts.skipped += 1
                continue
            decision = deduplicator.add(article)
            counts.add(decision)
            write(msgspec.json.encode(names.record(decision, evidence=evidence)).decode() + "\n")
            telling.now()
    if not quiet:
        told = msgspec.json.encode(counts.record()).decode() if as_json else counts.line()
        sys.stderr.write(told + "\n")


class ArticleLine(msgspec.Struct):
    id: int | str
    url: str | None = None
    guid: str | None = None
    publisher: str | None = None
    published_at: str | None = None
    title: str | None = None
    body: str | None = None


@dataclass(frozen=True)
class InputIds:
    """Ids as given; the dedupe rules use them as text."""

    index: MemoryIndex
    numbers: dict[str, int] = field(default_factory=dict)

    def article(self, line: bytes) -> Article:
        read = decode_line(line, ArticleLine)
        name = str(read.id)
        if self.index.article(name) is not None:
            raise InvalidLine(f"the id {name!r} was given to an earlier line")
        article = Article(
            id=name,
            url=read.url or "",
            guid=read.guid or "",
            publisher=read.publisher or "",
            published_at=parse_published_at(read.published_at),
            title=read.title or "",
            body=read.body or "",
        )
        if isinstance(read.id, int):
            self.numbers[name] = read.id
        return article

    def record(self, decision: Decision, *, evidence: bool) -> dict[str, Any]:
        told: dict[str, Any] = {
            "id": self._given(decision.id),
            "duplicate_of": None if decision.duplicate_of is None else self._given(decision.duplicate_of),
            "related_to": [self._given(one) for one in decision.related_to],
            "rule": decision.rule,
            "score": decision.score,
        }
        if not evidence:
            return told
        found = dict(decision.evidence)
        if "compared_with" in found:
            found["compared_with"] = self._given(found["compared_with"])
        return told | {"evidence": found}

    def _given(self, name: str) -> int | str:
        return self.numbers.get(name, name)


@dataclass
class DedupeCounts:
    skipped: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)

    def add(self, decision: Decision) -> None:
        copy = decision.duplicate_of is not None
        self.answers["duplicate" if copy else "related" if decision.related_to else "new"] += 1
        if copy:
            self.rules[decision.rule] += 1

    def record(self) -> dict[str, Any]:
        named = {name: self.answers[name] for name in ("duplicate", "related", "new")}
        rules = dict(self.rules.most_common())
        return {"articles": self.answers.total(), **named, "skipped": self.skipped, "rules": rules}

    def line(self) -> str:
        by = ", ".join(f"{rule} {count}" for rule, count in self.rules.most_common())
        return (
            f"{format_count(self.answers.total(), 'article')}: {format_count(self.answers['duplicate'], 'duplicate')}"
            f"{f' ({by})' if by else ''}, "
            f"{self.answers['related']} related, {self.answers['new']} new"
            + (f"; {format_count(self.skipped, 'line')} skipped" if self.skipped else "")
        )


@dataclass
class DedupeProgress:
    """Progress in place, on a terminal only."""

    counts: DedupeCounts
    quiet: bool
    every: Throttle | None = None

    def __enter__(self) -> Self:
        console = error_console()
        if console.is_terminal and not self.quiet:
            self.every = Throttle(
                TELL_EVERY, lambda: console.print(self.counts.line(), end="\r", soft_wrap=True)
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self.every is not None:
            sys.stderr.write("\r\033[K")

    def now(self) -> None:
        if self.every is not None:
            self.every()


app = single_command(dedupe)
