"""`headwater cluster`: articles in, a story for each out."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.flow.command_line import Answer, call
from tests.pure.newsroom import reports

from headwater.cli.files import cluster as verb


def lines(*events: str, each: int = 5, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": item.id, "title": item.title, "text": item.text, "published_at": item.published_at.isoformat()}
        | more
        for item in reports(*events, each=each)
    ]


def written(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def asked(*words: object) -> Answer:
        return call(capsys, monkeypatch, "cluster", "--words-only", *map(str, words))

    return asked


def test_every_line_gets_a_story_in_the_order_of_the_input(ask: Any, tmp_path: Path):
    given = lines("mill", "quake")
    answer = ask(written(tmp_path / "in.jsonl", given))
    assert answer.code == 0
    assert [record["id"] for record in answer.records] == [line["id"] for line in given]
    assert len({record["story"] for record in answer.records}) == 2
    assert {record["rank"] for record in answer.records} == {1, 2}
    assert "10 articles: 2 stories" in answer.err
    assert "words alone" in answer.err


def test_the_order_of_the_lines_changes_nothing(ask: Any, tmp_path: Path):
    given = lines("mill", "quake", "vote")
    first = ask(written(tmp_path / "a.jsonl", given)).records
    second = ask(written(tmp_path / "b.jsonl", given[::-1])).records
    assert sorted(first, key=str) == sorted(second, key=str)


def test_stories_that_go_on_keep_their_ids(ask: Any, tmp_path: Path):
    before = tmp_path / "yesterday.jsonl"
    ask(written(tmp_path / "a.jsonl", lines("mill", each=4)), "--out", before)
    after = ask(written(tmp_path / "b.jsonl", lines("mill", "vote", each=9)), "--earlier", before).records
    known = {record["story"] for record in map(json.loads, before.read_text().splitlines())}
    assert known < {record["story"] for record in after}


def test_g11_groups_are_never_crossed(ask: Any, tmp_path: Path):
    here, there = lines("mill", group="east"), lines("mill", group="west")
    there = [line | {"id": f"{line['id']}-west"} for line in there]
    answer = ask(written(tmp_path / "in.jsonl", here + there)).records
    told = {group: {r["story"] for r in answer if r["group"] == group} for group in ("east", "west")}
    assert not told["east"] & told["west"]


def test_a_bad_line_is_named_or_skipped(ask: Any, tmp_path: Path):
    given = [*lines("mill", each=2), {"title": "no id"}, {"id": "mill-00"}, {"id": 7, "published_at": "soon"}]
    path = written(tmp_path / "in.jsonl", given)
    assert "line 3 is not a valid article" in ask(path).err
    answer = ask(path, "--skip-bad", "--json")
    assert [record["id"] for record in answer.records] == ["mill-00", "mill-01"]
    assert all(f"line {number}" in answer.err for number in (3, 4, 5))
    assert json.loads(answer.err.splitlines()[-1])["articles"] == 2


def test_the_input_is_not_overwritten(ask: Any, tmp_path: Path):
    path = written(tmp_path / "in.jsonl", lines("mill", each=2))
    answer = ask(path, "--out", path)
    assert answer.code != 0
    assert "same file" in answer.err


def test_earlier_answers_must_be_answers(ask: Any, tmp_path: Path):
    path = written(tmp_path / "in.jsonl", lines("mill", each=2))
    answer = ask(path, "--earlier", path)
    assert answer.code != 0
    assert "line 1 is not output" in answer.err


def test_without_the_extra_words_decide_and_the_reference_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(verb, "nlp_installed", lambda: False)
    path = written(tmp_path / "in.jsonl", lines("mill", each=2))
    assert "words alone" in call(capsys, monkeypatch, "cluster", str(path)).err
    refused = call(capsys, monkeypatch, "cluster", "--words-only", "--profile", "reference", str(path))
    assert refused.code != 0
    assert "headwater[nlp]" in refused.err
