"""`python -m tests.mistakes docs/reference/errors.md`: the mistakes of a new user, and what Headwater says about each.

Each mistake is made in this process, in an empty folder or one with an installation. Nobody edits the page; a test compares
it with the messages that are printed now.
"""

import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from tests.flow.command_line import CommandResult, call_in
from tests.support.loopback_port import busy_port

GENERATED = "<!-- Written by `python -m tests.mistakes docs/reference/errors.md`; do not edit. -->\n"
HTML = "<!doctype html><html><head><title>News</title></head><body><p>Hello</p></body></html>"
Prepare = Callable[[Path], None]


@dataclass(frozen=True)
class Mistake:
    """`remedy` are words of the message that say what to do. `{port}` in the command is a port that is in use."""

    name: str
    command: str
    remedy: tuple[str, ...]
    code: int = 1
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    installed: bool = False
    prepare: Prepare | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    missing: str = ""
    """A package that is not installed."""


def settings(text: str) -> dict[str, str | bytes]:
    return {"headwater.yaml": text}


def sources(text: str) -> dict[str, str | bytes]:
    return {"headwater.yaml": "recipes: {news: {sources: mine.yaml}}\n", "mine.yaml": text}


def make_newer_database(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "headwater-data" / "headwater.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.execute("UPDATE database_identity SET oldest_program = '9999'")
        connection.commit()


def make_foreign_database(folder: Path) -> None:
    (folder / "headwater-data").mkdir()
    with closing(sqlite3.connect(folder / "headwater-data" / "headwater.db")) as connection:
        connection.execute("CREATE TABLE sources (name TEXT)")
        connection.commit()


GROUPS: Mapping[str, tuple[Mistake, ...]] = {
    "Commands and options": (
        Mistake("a typo in a command", "statsu", ("Did you mean 'status'",), code=2),
        Mistake("a typo in an option", "docs list --limt 3", ("--limit",), code=2),
        Mistake("no recipe named", "run", ("Missing argument 'RECIPE'",), code=2),
        Mistake("a typo in a recipe", "run nwes --once", ("did you mean 'news'?",)),
        Mistake("a recipe as an argument of a list", "docs list crypto", ("unexpected extra argument",), code=2),
        Mistake("--json before the command", "--json status", ("--json stands after the command",), code=2),
        Mistake("a limit of zero", "docs list --limit 0", ("--limit", "greater than or equal to 1"), code=2),
        Mistake("an unknown state", "docs list --state keept", ("'kept'",), code=2),
        Mistake("a word that is no time", "docs list --since someday", ("yesterday",), code=2, installed=True),
        Mistake("a date in another notation", "docs list --since 14.11.2026", ("2026-11-14",), code=2, installed=True),
        Mistake("an end before the beginning", "docs list --since 1h --until 2h", ("give an earlier time",), code=2, installed=True),
        Mistake("a filter by an unknown recipe", "docs list --recipe nwes", ("did you mean 'news'?",), installed=True),
        Mistake("a language by its name", "docs list --language english", ("write en",), code=2, installed=True),
        Mistake("a language by its name in a query", "search language:spanish", ("write es",), installed=True),
        Mistake("a filter by an unknown source", "docs list --source Nope", ("headwater sources list",), installed=True),
        Mistake("a task that is none", "run news --task clean", ("poll, fetch, refine, gather, deliver",), installed=True),
        Mistake("a word instead of an id", "docs show abc", ("headwater docs list", "at least 8 characters"), installed=True),
        Mistake("an unknown source", "sources show Nope", ("headwater sources list",), installed=True),
        Mistake("a record that is not in quarantine", "quarantine retry 1234abcd", ("headwater quarantine list",), installed=True),
        Mistake("nothing to retry", "quarantine retry", ("give either keys or --recipe",), code=2, installed=True),
        Mistake("a replay without a period", "replay --recipe news", ("--since",), code=2, installed=True),
        Mistake("a move without a target", "move", ("--to NAME",), installed=True),
        Mistake("an unknown channel", "alarms test ops", ("`notify`",), installed=True),
        Mistake("an unknown queue", "queue peek nope", ("headwater queue list",), installed=True),
        Mistake("an export of nothing", "export articles", ("headwater sources add news ADDRESS",), installed=True),
        Mistake("Parquet on a terminal", "export articles --recipe news --format parquet", ("--out",), installed=True),
    ),
    "Starting": (
        Mistake("reading before there is anything", "status", ("headwater init", "--data")),
        Mistake("running without a source", "run news --once", ("headwater sources add news ADDRESS",), installed=True),
        Mistake("an unknown environment", "--env cluster status", ("`environments`", "default")),
        Mistake("a settings file that does not exist", "--config mine.yaml status", ("headwater --config mine.yaml init",)),
        Mistake("a data folder that is a file", "--data headwater.yaml/x init", ("Not a directory", "--data"), files=settings("")),
        Mistake("a folder without permission", "--data /sys/headwater init", ("not permitted", "--data")),
        Mistake("a port that is in use", "demo serve --port {port}", ("--port",)),
        Mistake("companies without a list", "companies list", ("recipes.markets.sources: FILE",)),
    ),
    "Settings": (
        Mistake("a typo in a setting", "status", ("did you mean 'contact'?",), files=settings("contcat: me@example.org\n")),
        Mistake("text instead of a number", "status", ("expected a whole number",), files=settings("workers: many\n")),
        Mistake("wrong indentation", "status", ("indentation",), files=settings("contact: me@example.org\n  data: x\n")),
        Mistake("a tab", "status", ("spaces, not with tabs",), files=settings("recipes:\n\tnews: {}\n")),
        Mistake("another encoding", "status", ("save it as UTF-8",), files=settings("") | {"headwater.yaml": "contact: Jos\xe9\n".encode("latin-1")}),
        Mistake("a recipe that is like an unknown one", "run energy --once", ("did you mean 'news'?",), files=settings("recipes: {energy: {like: nwes}}\n")),
        Mistake("an unknown step", "run energy --once", ("did you mean 'clean'?",), files=settings("recipes: {energy: {like: news, steps: [cleen]}}\n")),
        Mistake("a typo in a filter", "run energy --once", ("did you mean 'words'?",), files=settings("recipes: {energy: {like: news, keep: {wrods: [gas]}}}\n")),
        Mistake("a language by its name in a filter", "run energy --once", ("recipes.energy.keep.language", "write en"), files=settings("recipes: {energy: {like: news, keep: {language: english}}}\n")),
        Mistake("an unknown route", "run energy --once", ("files, queue, table", "`notify`"), files=settings("recipes: {energy: {like: news, routes: [{to: slak}]}}\n")),
        Mistake("a recipe file without a recipe", "run mine --once", ("no function `recipe`",), files=settings("recipes: {mine: {file: ./mine.py}}\n") | {"mine.py": "a = 1\n"}),
        Mistake("a recipe file that does not exist", "run mine --once", ("relative to the current folder",), files=settings("recipes: {mine: {file: ./mine.py}}\n")),
        Mistake("a database that is not supported", "status", ("use sqlite or postgresql",), files=settings("database: mysql://host/x\n")),
        Mistake("a database server that is down", "status", ("Check that the server runs", "`database`"), files=settings("database: postgresql://me@127.0.0.1:1/x\n")),
        Mistake("a key that is not set", "summaries run", ("MODEL_KEY",), installed=True, files=settings('recipes: {geopolitics: {options: {tier: C}}}\nsummaries: {endpoint: "https://models.example/v1", model: small, key: "env:MODEL_KEY"}\n')),
        Mistake("summaries without an endpoint", "summaries run", ("summaries.endpoint", "https://"), installed=True),
        Mistake("a cluster without Redis", "beat", ("`redis: redis://HOST:6379/0`",), installed=True),
    ),
    "Sources": (
        Mistake("no address", "sources add news", ("an address or --bundled",)),
        Mistake("an address without https", "sources add news example.org/feed", ("https://example.org/feed",)),
        Mistake("a private address", "sources add news http://127.0.0.1:{port}/feed", ("`allow:", "in the settings")),
        Mistake("a server that does not answer", "sources add news http://127.0.0.1:1/feed", ("check the address and the port",), files=settings('allow: ["127.0.0.1:1"]\n')),
        Mistake("a kind that the recipe does not have", "sources add crypto https://example.org/ --kind crawl", ("It knows: feed",)),
        Mistake("a typo in an option of a source", "sources add news https://example.org/ --kind crawl --option depht=2", ("did you mean 'depth'?",)),
        Mistake("an option without a value", "sources add news https://example.org/ --option depth", ("NAME=VALUE",)),
        Mistake("a mail folder that does not exist", "sources add news --kind mail --name Letters --option folder=letters", ("options.folder", "--no-check")),
        Mistake("a source to remove that does not exist", "sources remove Nope", ("headwater sources list",), installed=True),
        Mistake("a bundled list where there is none", "sources add news --bundled", ("name your own",)),
        Mistake("a list that does not exist", "run news --once", ("mine.yaml", "relative to the current folder"), files=settings("recipes: {news: {sources: mine.yaml}}\n")),
        Mistake("a wrong kind in a list", "run news --once", ("mine.yaml:2", "did you mean 'feed'?"), files=sources('sources:\n  - {name: A, kind: fed, url: "https://a.example/feed"}\n')),
        Mistake("a typo in a list", "run news --once", ("mine.yaml:2", "did you mean 'every'?"), files=sources('sources:\n  - {name: A, url: "https://a.example/feed", evry: 5m}\n')),
        Mistake("wrong indentation in a list", "run news --once", ("mine.yaml:3", "indentation"), files=sources("sources:\n  - name: A\n   url: https://a.example/feed\n")),
        Mistake("a wrong interval", "run news --once", ("90s, 15m, 4h",), files=sources('sources:\n  - {name: A, url: "https://a.example/feed", every: five minutes}\n')),
        Mistake("a list that is no OPML", "sources import news feeds.opml", ("headwater sources add news ADDRESS",), files={"feeds.opml": HTML}),
    ),
    "Files": (
        Mistake("a file that does not exist", "dedupe articles.jsonl", ("check the path",)),
        Mistake("a line that is no article", "dedupe articles.jsonl", ("line 2", "--skip-bad"), files={"articles.jsonl": '{"id": 1}\nnot JSON\n'}),
        Mistake("a page instead of a feed", "feed page.html", ("headwater sources add",), files={"page.html": HTML}),
        Mistake("nothing to read", "extract 'nothing/*.html'", ("check the path",)),
        Mistake("a folder that does not exist", "export articles --recipe news --out nowhere/a.jsonl", ("Check that it exists",), installed=True),
        Mistake("an empty folder of backups", "restore backups", ("headwater backup create",), installed=True),
        Mistake("a backup inside the data folder", "backup create headwater-data/backups", ("another",), installed=True),
    ),
    "Databases and packages": (
        Mistake("a database of a later version", "status", ("upgrade Headwater",), installed=True, prepare=make_newer_database),
        Mistake("a damaged database", "status", ("restore it from a backup",), files={"headwater-data/headwater.db": b"\xff" * 5_000}),
        Mistake("a cluster without its packages", "beat", ("pip install 'headwater[cluster]'",), installed=True, files=settings("redis: redis://127.0.0.1:1\n"), missing="celery"),
        Mistake("Parquet without its package", "export articles --recipe news --format parquet --out a.parquet", ("pip install 'headwater[parquet]'",), installed=True, missing="pyarrow"),
        Mistake("two commands at once", "move --to cluster", ("stop them first",), installed=True, files=settings("environments: {cluster: {data: other}}\n")),
    ),
}  # fmt: skip
MISTAKES = {mistake.name: mistake for group in GROUPS.values() for mistake in group}


@dataclass
class Kitchen:
    """Where mistakes are made: a folder with a fresh installation, which is copied for each that needs one."""

    template: Path

    @classmethod
    def fresh(cls, folder: Path) -> "Kitchen":
        assert call_in(folder, "init").code == 0
        (folder / "headwater.yaml").unlink()
        return cls(folder)

    def make(self, mistake: Mistake, folder: Path) -> CommandResult:
        if mistake.installed:
            shutil.copytree(self.template, folder, dirs_exist_ok=True)
        for name, content in mistake.files.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if mistake.prepare:
            mistake.prepare(folder)
        with ExitStack() as stack:
            port = stack.enter_context(busy_port())
            if mistake.missing:
                stack.enter_context(_without(mistake.missing))
            if mistake.name == "two commands at once":
                stack.enter_context(_busy(folder))
            words = [word.strip("'") for word in mistake.command.format(port=port).split()]
            answer = call_in(folder, *words, **mistake.variables)
        return CommandResult(answer.code, answer.out, _general(answer.err, folder, port))


@contextmanager
def _without(package: str) -> Iterator[None]:
    """As if the package were not installed. Modules that have imported it already are imported again."""
    with patch.dict(sys.modules):
        for name in list(sys.modules):
            if name.startswith((f"{package}.", "headwater.runtime.celery")):
                del sys.modules[name]
        sys.modules[package] = None  # type: ignore[assignment]
        yield


@contextmanager
def _busy(folder: Path) -> Iterator[None]:
    """A worker is running on the installation."""
    from headwater.app import App
    from headwater.ops.installation_lock import worker_lock
    from headwater.settings.settings import Settings

    app = App(Settings(data=str(folder / "headwater-data")))
    with worker_lock(app):
        yield
    app.engine.dispose()


def _general(text: str, folder: Path, port: int) -> str:
    """Without what differs from machine to machine."""
    plain = text.replace(str(folder), "FOLDER").replace(str(port), "PORT")
    return re.sub(r"/tmp/[^\s,;)']+", "FOLDER", plain)


def message(answer: CommandResult) -> str:
    """The last line, without the program's name."""
    lines = [line for line in answer.err.splitlines() if line.strip()] or answer.out.splitlines()
    return lines[-1].removeprefix("headwater: ").removeprefix("Error: ") if lines else ""


def page(answers: Mapping[str, CommandResult]) -> str:
    lines = [
        GENERATED,
        "# Errors",
        "",
        "What a message says and what to do about it. Each of these mistakes is made by a test, which fails if the message no longer",
        "says what to do. Exit code 1 means that the command was refused, 2 that it was called in a wrong way.",
        "",
    ]
    for title, mistakes in GROUPS.items():
        lines += [f"## {title}", "", "| mistake | command | exit | message |", "|---|---|---|---|"]
        lines += [_row(mistake, answers[mistake.name]) for mistake in mistakes] + [""]
    return "\n".join(lines).rstrip() + "\n"


def _row(mistake: Mistake, answer: CommandResult) -> str:
    command = mistake.command.replace("{port}", "PORT")
    text = message(answer).replace("|", "\\|").replace("<", "&lt;")
    return f"| {mistake.name} | `headwater {command}` | {answer.code} | {text} |"


def main() -> None:
    with tempfile.TemporaryDirectory() as template:
        kitchen, answers = Kitchen.fresh(Path(template)), {}
        for mistake in MISTAKES.values():
            with tempfile.TemporaryDirectory() as folder:
                answers[mistake.name] = kitchen.make(mistake, Path(folder))
    Path(sys.argv[1]).write_text(page(answers), encoding="utf-8")


if __name__ == "__main__":
    main()
