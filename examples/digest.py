"""A recipe of your own, run over the demo internet: `python examples/digest.py FOLDER`."""

import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from address_list import discover_list
from headline_table import HeadlineTable
from minimum_length import MinimumLength

from headwater.app import App
from headwater.documents.cleaning.normalise import normalise
from headwater.documents.dedupe.drop_exact_duplicates import DropExactDuplicates
from headwater.extract.html.reader import read_html
from headwater.model.recipe import Recipe, Route
from headwater.model.source import Trigger
from headwater.runtime.inline import run_inline
from headwater.settings.settings import Settings
from headwater.settings.sources import SourceLine, make_source
from headwater.sources.feeds.poll import discover_feed
from headwater_demo.feeds.catalogue import feeds
from headwater_demo.internet import running

LONG = MinimumLength(words=250)


def recipe() -> Recipe:
    """The function that an entry point in the group `headwater.recipes` names."""
    lines = [SourceLine(name=feed["name"], url=feed["url"]) for feed in feeds("small")]
    return Recipe(
        name="digest",
        version="1",
        sources=tuple(make_source(line, "digest", where=line.name) for line in lines),
        discover={"feed": discover_feed, "list": discover_list},
        extract={"text/html": read_html},
        steps=(normalise, LONG, DropExactDuplicates()),
        trigger=Trigger(every=timedelta(hours=1)),
        routes=(Route(name="headlines", sink="table"),),
    )


def main(folder: Path) -> None:
    with running(size="small") as internet:
        hosts = {"*.example": internet.base_url}
        app = App(Settings(data=str(folder), hosts=hosts, requests_per_second=0, log_level="error"))
        digest, table = recipe(), HeadlineTable(folder / "headlines.db")
        app.store.register(digest.sources, app.clock())
        context = replace(
            app.context("example", fetching=True), recipes={"digest": digest}, sinks={"table": table}
        )
        run_inline(context, ["digest"], horizon=timedelta(seconds=5), longest=timedelta(minutes=1))
        if context.fetcher is not None:
            context.fetcher.close()
    print(app.catalogue.status("digest", app.clock())["documents"])
    with closing(sqlite3.connect(table.path)) as connection:
        print(connection.execute("SELECT count(*) FROM headlines").fetchone()[0], "headlines delivered")
    app.store.engine.dispose()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
