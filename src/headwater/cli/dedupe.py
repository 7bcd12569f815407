"""`headwater dedupe`."""

import codecs
import gzip
import lzma
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, Self

import msgspec
import typer

from headwater.cli.options import Quiet, verb
from headwater.cli.output import count_of, side_console
from headwater.cli.progress import Every
from headwater.cli.sentences import printable
from headwater.model.errors import Refused
from headwater.pure.dupes import PROFILES, Article, Decision, Ladder, MemoryIndex

LONGEST_LINE = 64 * 2**20
TELL_EVERY = 0.3
PACKED: dict[bytes, Callable[[BinaryIO], Any]] = {b"\x1f\x8b": gzip.open, b"\xfd7zXZ\x00": lzma.open}
Damaged = (OSError, EOFError, lzma.LZMAError, zlib.error)


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
        Literal["default", "seed-c", "seed-g"], typer.Option(help="The ladder: default, seed-c or seed-g.")
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
    ladder = Ladder(PROFILES[profile], index)
    counts, names = Counts(), Names(index)
    with ExitStack() as stack:
        lines = opened(source, stack)
        write = writer(stack, out)
        telling = stack.enter_context(Telling(counts, quiet=quiet))
        for number, line in numbered(lines, source):
            try:
                article = names.article(line)
            except Unfit as error:
                _refuse_or_skip(number, error, skip=skip_bad)
                counts.skipped += 1
                continue
            decision = ladder.take(article)
            counts.add(decision)
            write(msgspec.json.encode(names.record(decision, evidence=evidence)).decode() + "\n")
            telling.now()
    if not quiet:
        told = msgspec.json.encode(counts.record()).decode() if as_json else counts.line()
        sys.stderr.write(told + "\n")


class Unfit(Exception):
    """A line that is no article; its words say why."""


class Line(msgspec.Struct):
    id: int | str
    url: str | None = None
    guid: str | None = None
    publisher: str | None = None
    published_at: str | None = None
    title: str | None = None
    body: str | None = None


@dataclass(frozen=True)
class Names:
    """Ids as they were given: the ladder knows them as text."""

    index: MemoryIndex
    numbers: dict[str, int] = field(default_factory=dict)

    def article(self, line: bytes) -> Article:
        read = _read(line)
        name = str(read.id)
        if self.index.article(name) is not None:
            raise Unfit(f"the id {name!r} was given to an earlier line")
        article = Article(
            id=name,
            url=read.url or "",
            guid=read.guid or "",
            publisher=read.publisher or "",
            published_at=_moment(read.published_at),
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


def _read(line: bytes) -> Line:
    if len(line) > LONGEST_LINE:
        raise Unfit(f"it is longer than {LONGEST_LINE} bytes")
    try:
        return msgspec.json.decode(line, type=Line)
    except RecursionError:
        raise Unfit("it is nested too deeply") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise Unfit(str(error)) from error


def _moment(text: str | None) -> datetime | None:
    """A moment without a zone is taken for UTC."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Unfit(f"published_at is no ISO 8601 moment: {text[:40]!r}") from None


def opened(source: str, stack: ExitStack) -> BinaryIO:
    """The bytes of the lines; what is packed is known by its first bytes, whatever it is called."""
    try:
        raw = sys.stdin.buffer if source == "-" else _file(source, stack)
        start = raw.peek(6)[:6] if hasattr(raw, "peek") else b""
    except OSError as error:
        raise Refused("cannot_open", f"{source}: {error.strerror}") from error
    for mark, unpack in PACKED.items():
        if start.startswith(mark):
            unpacked: BinaryIO = stack.enter_context(unpack(raw))
            return unpacked
    return raw


def _file(path: str, stack: ExitStack) -> BinaryIO:
    return stack.enter_context(Path(path).open("rb"))


def writer(stack: ExitStack, path: Path | None) -> Callable[[str], None]:
    """Where the answers go. A disk that is full is told in a sentence; a reader who left is nothing to tell."""
    name = "standard output" if path is None else str(path)
    stack.enter_context(_telling(name))
    target = sys.stdout if path is None else stack.enter_context(path.open("w", encoding="utf-8"))
    if path is None:
        stack.callback(target.flush)

    def write(line: str) -> None:
        with _telling(name):
            target.write(line)

    return write


@contextmanager
def _telling(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Refused("cannot_write", f"{name}: {error.strerror}") from error


def numbered(lines: BinaryIO, source: str) -> Iterator[tuple[int, bytes]]:
    """Lines that hold something, counted from one. Of an endless line only the beginning is kept."""
    number = 0
    try:
        while line := lines.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                _skip_rest(lines, line)
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            if line.strip():
                yield number, line
    except Damaged as error:
        raise Refused("cannot_read", f"{source} is damaged after line {number}: {error}") from error


def _skip_rest(lines: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = lines.readline(LONGEST_LINE)


def _refuse_or_skip(number: int, error: Unfit, *, skip: bool) -> None:
    told = f"line {number} is no article: {error}"
    if not skip:
        raise Refused("bad_line", f"{told}; --skip-bad goes on without such lines")
    sys.stderr.write(printable(told) + "\n")


@dataclass
class Counts:
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
            f"{count_of(self.answers.total(), 'article')}: {count_of(self.answers['duplicate'], 'duplicate')}"
            f"{f' ({by})' if by else ''}, "
            f"{self.answers['related']} related, {self.answers['new']} new"
            + (f"; {count_of(self.skipped, 'line')} skipped" if self.skipped else "")
        )


@dataclass
class Telling:
    """Progress in place, on a terminal only."""

    counts: Counts
    quiet: bool
    every: Every | None = None

    def __enter__(self) -> Self:
        console = side_console()
        if console.is_terminal and not self.quiet:
            self.every = Every(
                TELL_EVERY, lambda: console.print(self.counts.line(), end="\r", soft_wrap=True)
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self.every is not None:
            sys.stderr.write("\r\033[K")

    def now(self) -> None:
        if self.every is not None:
            self.every()


app = verb(dedupe)
