"""`headwater dedupe`."""

import sys
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import msgspec
import typer

from headwater.cli.options import ArticleFile, OutFile, Quiet, SkipBad, SummaryJson, single_command
from headwater.cli.render.console import format_count
from headwater.cli.render.progress import Progress
from headwater.cli.standalone.json_lines import (
    InvalidLine,
    decode_line,
    numbered_lines,
    open_lines,
    open_writer,
    parse_published_at,
    refuse_or_skip,
)
from headwater.documents.dedupe.articles import Article, Decision
from headwater.documents.dedupe.deduplicator import Deduplicator
from headwater.documents.dedupe.index import MemoryIndex
from headwater.documents.dedupe.rules import PROFILES
from headwater.model.errors import Refused


def dedupe(
    source: ArticleFile,
    *,
    out: OutFile = None,
    profile: Annotated[
        Literal["default", "titles", "minhash"],
        typer.Option(help="The dedupe rules: default, titles or minhash."),
    ] = "default",
    evidence: Annotated[bool, typer.Option("--evidence", help="Add the measurements to every line.")] = False,
    skip_bad: SkipBad = False,
    as_json: SummaryJson = False,
    quiet: Quiet = False,
) -> None:
    """Find duplicates among articles, in one pass and in the order of the lines.

    Input: id, url, guid, publisher, published_at, title, body; only the id is required. Output: id, duplicate_of,
    related_to, rule, score. Nothing is stored and no environment is needed; the articles are kept in memory, about 15 kB
    each in addition to their text. The summary goes to standard error.
    """
    if out is not None and source != "-" and out.exists() and out.samefile(source):
        raise Refused("same_file", "input and output are the same file")
    index = MemoryIndex()
    deduplicator = Deduplicator(PROFILES[profile], index)
    counts, ids = DedupeCounts(), InputIds(index)
    with ExitStack() as stack:
        lines = open_lines(source, stack)
        write = open_writer(stack, out)
        progress = stack.enter_context(Progress(counts.line, quiet=quiet))
        for number, line in numbered_lines(lines, source):
            try:
                article = ids.article(line)
            except InvalidLine as error:
                refuse_or_skip(number, error, "article", skip=skip_bad)
                counts.skipped += 1
                continue
            decision = deduplicator.add(article)
            counts.add(decision)
            write(msgspec.json.encode(ids.record(decision, evidence=evidence)).decode() + "\n")
            progress()
    if not quiet:
        record = msgspec.json.encode(counts.record()).decode() if as_json else counts.line()
        sys.stderr.write(record + "\n")


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
        fields = decode_line(line, ArticleLine)
        name = str(fields.id)
        if self.index.article(name) is not None:
            raise InvalidLine(f"the id {name!r} occurs in an earlier line")
        article = Article(
            id=name,
            url=fields.url or "",
            guid=fields.guid or "",
            publisher=fields.publisher or "",
            published_at=parse_published_at(fields.published_at),
            title=fields.title or "",
            body=fields.body or "",
        )
        if isinstance(fields.id, int):
            self.numbers[name] = fields.id
        return article

    def record(self, decision: Decision, *, evidence: bool) -> dict[str, Any]:
        record: dict[str, Any] = {
            "id": self._original_id(decision.id),
            "duplicate_of": None
            if decision.duplicate_of is None
            else self._original_id(decision.duplicate_of),
            "related_to": [self._original_id(one) for one in decision.related_to],
            "rule": decision.rule,
            "score": decision.score,
        }
        if not evidence:
            return record
        measurements = dict(decision.evidence)
        if "compared_with" in measurements:
            measurements["compared_with"] = self._original_id(measurements["compared_with"])
        return record | {"evidence": measurements}

    def _original_id(self, name: str) -> int | str:
        return self.numbers.get(name, name)


@dataclass
class DedupeCounts:
    skipped: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)

    def add(self, decision: Decision) -> None:
        is_duplicate = decision.duplicate_of is not None
        self.answers["duplicate" if is_duplicate else "related" if decision.related_to else "new"] += 1
        if is_duplicate:
            self.rules[decision.rule] += 1

    def record(self) -> dict[str, Any]:
        by_answer = {name: self.answers[name] for name in ("duplicate", "related", "new")}
        rules = dict(self.rules.most_common())
        return {"articles": self.answers.total(), **by_answer, "skipped": self.skipped, "rules": rules}

    def line(self) -> str:
        by_rule = ", ".join(f"{rule} {count}" for rule, count in self.rules.most_common())
        return (
            f"{format_count(self.answers.total(), 'article')}: {format_count(self.answers['duplicate'], 'duplicate')}"
            f"{f' ({by_rule})' if by_rule else ''}, "
            f"{self.answers['related']} related, {self.answers['new']} new"
            + (f"; {format_count(self.skipped, 'line')} skipped" if self.skipped else "")
        )


app = single_command(dedupe)
