"""`headwater feed`."""

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import msgspec
import typer

from headwater.cli.options import InputNames, Json, OutFile, ParsingWorkers, Quiet, single_command
from headwater.cli.render.console import format_count
from headwater.cli.render.progress import ReadCounts, read_progress
from headwater.cli.standalone.dispatcher import REQUEST_TIMEOUT, InputDispatcher
from headwater.cli.standalone.feed_json import extract_feed, failed_feed_record
from headwater.cli.standalone.inputs import display_name, expand_inputs
from headwater.extract.sandbox.batch import BatchExtractor, ExtractResult
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.fetch.responses import header_value
from headwater.model.errors import Refused
from headwater.model.http import Request, Response
from headwater.model.outcomes import ExtractHints, Unreadable
from headwater.sources.feeds.parser import LARGEST_FEED
from headwater.text.printable import printable_text

SECONDS, MEGABYTES = 30.0, 2048
NOT_A_FEED = {
    "html": "this is a web page, not a feed; `headwater sources add` finds the feeds of a site",
    "json": "this is JSON, but no feed; the kind of source `json` reads it",
    "opml": "this is a list of feeds; `headwater sources import` adds them",
    "sitemap": "this is a sitemap; the kind of source `sitemap` reads it",
    "empty": "this is empty",
    "unknown": "this is not a feed",
    "cannot_open": "cannot be read:",
}
SANDBOX_REASONS = {
    "extractor_died": "reader_died",
    "extractor_timeout": "too_slow",
    "extractor_memory": "too_much_memory",
}


def feed(
    context: typer.Context,
    inputs: InputNames,
    *,
    out: OutFile = None,
    workers: ParsingWorkers = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Parse feeds of any format and condition: their metadata, their entries, and what was wrong with them.

    One line each, in the order of the input; with --out as JSON. Input that is not a feed gets a line with the reason. The exit code is 1 only
    if nothing could be read.
    """
    counts = ReadCounts()
    sandbox = Sandboxed(extract_feed, SECONDS, MEGABYTES, LARGEST_FEED)
    with ExitStack() as stack:
        target = stack.enter_context(out.open("w", encoding="utf-8")) if out else sys.stdout
        extractor = stack.enter_context(BatchExtractor(sandbox, workers or os.cpu_count() or 1))
        dispatcher = stack.enter_context(
            InputDispatcher(context, extractor, _request, _file_hints, _response_hints)
        )
        progress = stack.enter_context(
            read_progress(counts, quiet=quiet or (not out and sys.stdout.isatty()))
        )
        for result in dispatcher.results(expand_inputs(inputs), in_order=True):
            record = result_record(result)
            counts.add(ok=record["ok"], size=result.size)
            text = (
                msgspec.json.encode(record).decode() if as_json or out else printable_text(_sentence(record))
            )
            target.write(text + "\n")
            progress()
    if not counts.total:
        raise Refused("nothing_to_do", f"no file matches {' '.join(inputs)}; check the path")
    if not counts.read:
        raise typer.Exit(1)


def result_record(result: ExtractResult) -> Mapping[str, Any]:
    """A line of the output."""
    path = {"path": display_name(result.name)}
    if isinstance(result.reading, Unreadable):
        reason = SANDBOX_REASONS.get(result.reading.reason, result.reading.reason)
        return path | failed_feed_record(reason, result.reading.detail)
    return path | dict(result.reading.attributes)


def _sentence(record: Mapping[str, Any]) -> str:
    """ "a.xml: rss20 'Ledger Lane', 12 entries; malformed: …"."""
    if not record["ok"]:
        why = NOT_A_FEED.get(record["reason"], record["reason"])
        feeds = f"; it names these feeds: {', '.join(record['feeds'])}" if record.get("feeds") else ""
        return f"{record['path']}: {why} {record['detail']}".rstrip() + feeds
    entries = format_count(len(record["entries"]), "entry").replace("entrys", "entries")
    warnings = "".join(f"; {warning}" for warning in record["warnings"])
    return f"{record['path']}: {record['format']} '{record['title'] or ''}', {entries}{warnings}"


def _request(url: str) -> Request:
    return Request(url=url, purpose="feed", source_kind="feed", timeout=REQUEST_TIMEOUT)


def _file_hints(name: str) -> ExtractHints:
    del name
    return ExtractHints()


def _response_hints(name: str, response: Response) -> ExtractHints:
    return ExtractHints(url=name, media_type=header_value(response.headers, "content-type") or None)


app = single_command(feed)
