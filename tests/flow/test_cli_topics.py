"""`headwater topics`: articles in, the topic of each article out."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.flow.command_line import CommandResult, call

ARTICLES = [
    {"id": 1, "title": "Shells hit two towns", "text": "Soldiers and rebels fought after the truce."},
    {"id": "b", "title": "Rovers win the cup final", "text": "The striker scored twice in the league match."},
    {"id": "c", "title": "zzzz qqqq"},
    {"id": "d"},
]


@pytest.fixture
def run_topics(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(*words: object) -> CommandResult:
        return call(capsys, monkeypatch, "topics", "--words-only", *map(str, words))

    return run


def test_g15_each_line_gets_a_code_or_null_in_the_order_of_the_input(run_topics: Any, tmp_path: Path):
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in ARTICLES), encoding="utf-8")
    answer = run_topics(source)
    assert answer.code == 0
    assert [record["id"] for record in answer.records] == [1, "b", "c", "d"]
    assert [record["topic"] for record in answer.records] == ["16000000", "15000000", None, None]
    assert [record["reason"] for record in answer.records] == [None, None, "unsure", "no_text"]
    assert all(0 <= record["score"] <= 1 and record["second"] for record in answer.records)
    assert "4 articles" in answer.err
    assert "unclassified 2" in answer.err


def test_input_and_output_must_differ(run_topics: Any, tmp_path: Path):
    source = tmp_path / "in.jsonl"
    source.write_text('{"id": 1}\n', encoding="utf-8")
    assert "same file" in run_topics(source, "--out", source).err
    assert run_topics(source, "--out", tmp_path / "out.jsonl", "--quiet").err == ""
    assert json.loads((tmp_path / "out.jsonl").read_text())["topic"] is None
