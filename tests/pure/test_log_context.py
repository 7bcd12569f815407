"""Whatever a job logs names recipe, job and key, whichever part writes the line."""

import json
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import structlog
from structlog.contextvars import bound_contextvars

from headwater.engine.engine import Engine
from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.fetch.settings import FetchSettings
from headwater.logs import configure_logs
from headwater.model.http import Request
from headwater.model.jobs import Job, Task


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_part_that_knows_no_job_logs_with_its_recipe_and_task(capsys: pytest.CaptureFixture[str]):
    configure_logs("json", "info")

    def refine(context: Any, job: Job) -> int:
        del context, job
        structlog.get_logger().warning("something odd")
        return 1

    engine = Engine(SimpleNamespace(), {Task.REFINE: refine})
    assert engine.run(Job("crypto", Task.REFINE)) == 1
    structlog.get_logger().info("afterwards")
    odd, afterwards = lines(capsys)
    assert (odd["recipe"], odd["job"]) == ("crypto", "refine")
    assert "recipe" not in afterwards


def test_the_fetcher_logs_in_another_thread_which_record_it_fetches(capsys: pytest.CaptureFixture[str]):
    configure_logs("json", "info")
    fetcher = HttpFetcher(FetchSettings())
    try:
        for key in ("first", "second"):
            with bound_contextvars(recipe="crypto", job="fetch", key=key):
                fetcher.submit(key, Request(url="http://127.0.0.1:1/private"))
        answers: list[object] = []
        while len(answers) < 2:
            answers += fetcher.collect(2, timedelta(seconds=5))
    finally:
        fetcher.close()
    refused = [line for line in lines(capsys) if line["event"] == "refused"]
    assert {(line["recipe"], line["job"], line["key"]) for line in refused} == {
        ("crypto", "fetch", "first"),
        ("crypto", "fetch", "second"),
    }
