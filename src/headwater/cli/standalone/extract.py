"""`headwater extract`."""

import os
import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO

import msgspec
import typer

from headwater.cli.options import InputNames, OutFile, ParsingWorkers, Quiet, single_command
from headwater.cli.render.progress import ReadCounts, read_progress
from headwater.cli.standalone.dispatcher import REQUEST_TIMEOUT, InputDispatcher
from headwater.cli.standalone.inputs import display_name, expand_inputs
from headwater.extract.html.profiles.registry import HTML_PROFILES, html_reader
from headwater.extract.reader import ProfileReader, read_any
from headwater.extract.sandbox.batch import BatchExtractor, ExtractResult
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.fetch.responses import header_value
from headwater.model.errors import Refused
from headwater.model.http import Request, Response
from headwater.model.outcomes import Extract, ExtractHints, Unreadable
from headwater.recipes.loader import extract_profiles
from headwater.text.printable import printable_text

Format = Literal["text", "markdown", "json"]


def extract(
    context: typer.Context,
    inputs: InputNames,
    *,
    out: OutFile = None,
    form: Annotated[
        Format, typer.Option("--format", help="json: one line per input; text, markdown: the text only.")
    ] = "json",
    workers: ParsingWorkers = None,
    in_order: Annotated[
        bool,
        typer.Option(
            "--in-order", help="Keep the order of the input instead of the order in which they finish."
        ),
    ] = False,
    profile: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How pages are read: blocks, selectors, cascade (other packages that are installed), or a profile of a recipe.",
        ),
    ] = "blocks",
    seconds: Annotated[float, typer.Option(min=0.1, help="Time limit for one document.")] = 30.0,
    megabytes: Annotated[int, typer.Option(min=64, help="Memory limit of one process.")] = 512,
    quiet: Quiet = False,
) -> None:
    """Extract text, metadata, tables and forms from files or pages of any kind.

    Input that cannot be read gets a line with the reason. The exit code is 1 only if nothing could be read.
    """
    counts = ReadCounts()
    sandbox = Sandboxed(profile_reader(profile), seconds, megabytes)
    with ExitStack() as stack:
        target = stack.enter_context(out.open("w", encoding="utf-8")) if out else sys.stdout
        extractor = stack.enter_context(BatchExtractor(sandbox, workers or os.cpu_count() or 1))
        dispatcher = stack.enter_context(
            InputDispatcher(context, extractor, _request, _file_hints, _response_hints)
        )
        progress = stack.enter_context(
            read_progress(counts, quiet=quiet or (not out and sys.stdout.isatty()))
        )
        several = len(inputs) > 1 or not Path(inputs[0]).is_file()
        for result in dispatcher.results(expand_inputs(inputs), in_order=in_order):
            counts.add(ok=not isinstance(result.reading, Unreadable), size=result.size)
            _write(result, target, form, headed=several)
            progress()
    if not counts.total:
        raise Refused("nothing_to_do", f"no file matches {' '.join(inputs)}; check the path")
    if not counts.read:
        raise typer.Exit(1)


def profile_reader(profile: str) -> Extract:
    """The reader of a profile, or Refused."""
    if profile == "blocks":
        return read_any
    own = {} if profile in HTML_PROFILES else extract_profiles()
    if profile in own:
        return own[profile]
    try:
        html_reader(profile)
    except ValueError as error:
        more = f", and of recipes: {', '.join(sorted(own))}" if own else ""
        raise Refused("bad_option", f"--profile: {error}{more}") from error
    return ProfileReader(profile)


def _media_type_of(name: str) -> str | None:
    """The media type that a file name implies, for content that does not show it."""
    endings = {
        ".md": "text/markdown",
        ".markdown": "text/markdown",
        ".txt": "text/plain",
        ".eml": "message/rfc822",
    }
    return endings.get(Path(name).suffix.lower())


def _file_hints(name: str) -> ExtractHints:
    return ExtractHints(media_type=_media_type_of(name))


def _response_hints(name: str, response: Response) -> ExtractHints:
    del name
    return ExtractHints(url=response.url, media_type=header_value(response.headers, "content-type") or None)


def _request(url: str) -> Request:
    return Request(url=url, purpose="page", timeout=REQUEST_TIMEOUT)


def _write(result: ExtractResult, target: TextIO, form: Format, *, headed: bool) -> None:
    if form == "json":
        target.write(msgspec.json.encode(result_record(result)).decode() + "\n")
    elif isinstance(result.reading, Unreadable):
        detail = f": {result.reading.detail}" if result.reading.detail else ""
        sys.stderr.write(printable_text(f"{result.name}: {result.reading.reason}{detail}") + "\n")
    else:
        head = f"==> {printable_text(result.name)} <==\n" if headed else ""
        text = result.reading.plain if form == "text" else result.reading.text
        target.write(f"{head}{text if target is not sys.stdout else printable_text(text)}\n")


def result_record(result: ExtractResult) -> dict[str, Any]:
    """A line of the output. Fields without a value are left out."""
    fields = {
        name: value for name, value in asdict(result.reading).items() if value not in ("", None, (), {})
    }
    return {
        "input": display_name(result.name),
        "ok": not isinstance(result.reading, Unreadable),
        **fields,
        "bytes": result.size,
        "milliseconds": result.milliseconds,
    }


app = single_command(extract)
