"""Inputs on their way to the sandbox: files at once, URLs by way of the fetcher."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Self

import typer

from headwater.cli.environment import settings_from
from headwater.cli.options import global_options
from headwater.cli.standalone.inputs import is_url, read_file
from headwater.extract.sandbox.batch import BatchExtractor, ExtractResult
from headwater.model.errors import Permanent
from headwater.model.http import Failure, Request, Response
from headwater.model.outcomes import ExtractHints
from headwater.model.ports import Fetcher

WAIT_SECONDS = 0.1
REQUEST_TIMEOUT = timedelta(seconds=30)


@dataclass
class InputDispatcher:
    """`make_request` builds the request for a URL; the hints tell the extractor what is known of a file or a response."""

    context: typer.Context
    extractor: BatchExtractor
    make_request: Callable[[str], Request]
    file_hints: Callable[[str], ExtractHints]
    response_hints: Callable[[str, Response], ExtractHints]
    fetcher: Fetcher | None = None
    fetching: dict[str, str] = field(default_factory=dict)
    request_count: int = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.fetcher is not None:
            self.fetcher.close()

    def results(self, names: Iterator[str], *, in_order: bool) -> Iterator[ExtractResult]:
        """One result for each name: as they finish, or in the order of the names."""
        return _in_order(self._results(names)) if in_order else (result for _, result in self._results(names))

    def _results(self, names: Iterator[str]) -> Iterator[tuple[int, ExtractResult]]:
        numbers: dict[str, list[int]] = {}
        position, more = 0, True
        while more or self.fetching or self.extractor.in_flight:
            while more and self.extractor.free_slots() > len(self.fetching):
                name = next(names, None)
                if name is None:
                    more = False
                else:
                    numbers.setdefault(name, []).append(position)
                    position += 1
                    self._begin(name)
            self._collect()
            for _, result in self.extractor.take_results(WAIT_SECONDS):
                yield numbers[result.name].pop(0), result

    def _begin(self, name: str) -> None:
        if not is_url(name):
            self.extractor.submit(name, partial(self._load_file, name))
            return
        if self.fetcher is None:
            from headwater.app import App  # noqa: PLC0415 - files need no environment

            self.fetcher = App(settings_from(global_options(self.context))).fetcher()
        token = str(self.request_count)
        self.request_count += 1
        self.fetching[token] = name
        self.fetcher.submit(token, self.make_request(name))

    def _load_file(self, name: str) -> tuple[bytes, ExtractHints]:
        return read_file(name, self.extractor.extract.largest), self.file_hints(name)

    def _collect(self) -> None:
        if self.fetcher is None or not self.fetching:
            return
        wait = timedelta(seconds=0 if self.extractor.in_flight else WAIT_SECONDS)
        for token, answer in self.fetcher.collect(len(self.fetching), wait):
            name = self.fetching.pop(token)
            self.extractor.submit(name, partial(self._load_response, name, answer))

    def _load_response(self, name: str, answer: Response | Failure) -> tuple[bytes, ExtractHints]:
        if isinstance(answer, Failure):
            raise Permanent(answer.reason, answer.detail)
        if answer.status != 200:
            raise Permanent(f"http_{answer.status}", answer.url)
        return answer.body, self.response_hints(name, answer)


def _in_order(results: Iterator[tuple[int, ExtractResult]]) -> Iterator[ExtractResult]:
    waiting: dict[int, ExtractResult] = {}
    following = 0
    for number, result in results:
        waiting[number] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1
