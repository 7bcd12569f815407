"""`headwater cluster`: articles in, the story of each article out."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.flow.command_line import CommandResult, call
from tests.pure.newsroom import reports

from headwater.cli.standalone import cluster as cluster_command


def lines(*events: str, per_event: int = 5, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": item.id, "title": item.title, "text": item.text, "published_at": item.published_at.isoformat()}
        | more
        for item in reports(*events, per_event=per_event)
    ]


def write_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture
def run_cluster(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(*words: object) -> CommandResult:
        return call(capsys, monkeypatch, "cluster", "--words-only", *map(str, words))

    return run


def test_every_line_gets_a_story_in_the_order_of_the_input(run_cluster: Any, tmp_path: Path):
    articles = lines("mill", "quake")
    answer = run_cluster(write_lines(tmp_path / "in.jsonl", articles))
    assert answer.code == 0
    assert [record["id"] for record in answer.records] == [line["id"] for line in articles]
    assert len({record["story"] for record in answer.records}) == 2
    assert {record["rank"] for record in answer.records} == {1, 2}
    assert "10 articles: 2 stories" in answer.err
    assert "words alone" in answer.err


def test_the_order_of_the_lines_changes_nothing(run_cluster: Any, tmp_path: Path):
    articles = lines("mill", "quake", "vote")
    first = run_cluster(write_lines(tmp_path / "a.jsonl", articles)).records
    second = run_cluster(write_lines(tmp_path / "b.jsonl", articles[::-1])).records
    assert sorted(first, key=str) == sorted(second, key=str)


def test_continuing_stories_keep_their_ids(run_cluster: Any, tmp_path: Path):
    before = tmp_path / "yesterday.jsonl"
    run_cluster(write_lines(tmp_path / "a.jsonl", lines("mill", per_event=4)), "--out", before)
    after = run_cluster(
        write_lines(tmp_path / "b.jsonl", lines("mill", "vote", per_event=9)), "--earlier", before
    ).records
    ids_before = {record["story"] for record in map(json.loads, before.read_text().splitlines())}
    assert ids_before < {record["story"] for record in after}


def test_g11_no_story_spans_two_groups(run_cluster: Any, tmp_path: Path):
    east, west = lines("mill", group="east"), lines("mill", group="west")
    west = [line | {"id": f"{line['id']}-west"} for line in west]
    answer = run_cluster(write_lines(tmp_path / "in.jsonl", east + west)).records
    stories_by_group = {
        group: {r["story"] for r in answer if r["group"] == group} for group in ("east", "west")
    }
    assert not stories_by_group["east"] & stories_by_group["west"]


def test_a_bad_line_is_named_or_skipped(run_cluster: Any, tmp_path: Path):
    articles = [
        *lines("mill", per_event=2),
        {"title": "no id"},
        {"id": "mill-00"},
        {"id": 7, "published_at": "soon"},
    ]
    path = write_lines(tmp_path / "in.jsonl", articles)
    assert "line 3 is not a valid article" in run_cluster(path).err
    answer = run_cluster(path, "--skip-bad", "--json")
    assert [record["id"] for record in answer.records] == ["mill-00", "mill-01"]
    assert all(f"line {number}" in answer.err for number in (3, 4, 5))
    assert json.loads(answer.err.splitlines()[-1])["articles"] == 2


def test_the_input_is_not_overwritten(run_cluster: Any, tmp_path: Path):
    path = write_lines(tmp_path / "in.jsonl", lines("mill", per_event=2))
    answer = run_cluster(path, "--out", path)
    assert answer.code != 0
    assert "same file" in answer.err


def test_earlier_results_must_be_results_of_the_command(run_cluster: Any, tmp_path: Path):
    path = write_lines(tmp_path / "in.jsonl", lines("mill", per_event=2))
    answer = run_cluster(path, "--earlier", path)
    assert answer.code != 0
    assert "line 1 is not output" in answer.err


def test_without_the_extra_words_decide_and_the_reference_profile_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(cluster_command, "nlp_installed", lambda: False)
    path = write_lines(tmp_path / "in.jsonl", lines("mill", per_event=2))
    assert "words alone" in call(capsys, monkeypatch, "cluster", str(path)).err
    refused = call(capsys, monkeypatch, "cluster", "--words-only", "--profile", "reference", str(path))
    assert refused.code != 0
    assert "headwater[nlp]" in refused.err
