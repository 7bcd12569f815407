"""`headwater dedupe`: articles in, one result per line out."""

import gzip
import json
import lzma
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.flow.command_line import SOURCE, CommandResult, call, shell
from tests.support.deadline import DEADLINE

from headwater.cli.standalone import json_lines

STORY = (
    "The harbour authority of Dunmore said on Monday that it will widen the northern channel by forty metres next "
    "year. Dredging begins in March and is to cost 18 million crowns, paid by the port dues of six years. Captain "
    "Orla Finch, who leads the pilots, called the plan overdue: two freighters ran aground there within a month. "
    "Fishing boats keep their right of way at the western pier while the work goes on, the authority said."
)
OTHER = (
    "Calder Steel will close its mill in Arden by June because nobody bought it. The mill has stood since 1911 and "
    "employs 340 people; the union run the ministry for a meeting. Managers said orders had fallen for five years."
)
COPY = STORY.replace("said on Monday", "announced on Monday") + " Subscribe to our newsletter."


def article(name: Any, body: str, **fields: Any) -> dict[str, Any]:
    defaults = {
        "publisher": f"paper {name}",
        "published_at": "2026-11-13T09:00:00Z",
        "title": "Port widens channel",
    }
    return {"id": name, "body": body, **defaults, **fields}


LINES = [
    article(1, STORY, url="https://wire.example/a"),
    article(2, OTHER, title="Mill shuts"),
    article(3, COPY, published_at="2026-11-13T11:00:00"),
    article("x", OTHER, title=None, url="https://b.example/"),
]


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def run_dedupe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(*words: object) -> CommandResult:
        return call(capsys, monkeypatch, "dedupe", *map(str, words))

    return run


def test_every_line_gets_its_result_in_order_and_ids_keep_their_type(run_dedupe: Any, tmp_path: Path):
    answer = run_dedupe(write_lines(tmp_path / "in.jsonl", LINES))
    assert answer.code == 0
    assert [(r["id"], r["duplicate_of"]) for r in answer.records] == [(1, None), (2, None), (3, 1), ("x", 2)]
    assert set(answer.records[0]) == {"id", "duplicate_of", "related_to", "rule", "score"}
    assert answer.records[2]["rule"] == "same-text"
    assert answer.err.startswith("4 articles: 2 duplicates (")


def test_evidence_names_what_was_compared(run_dedupe: Any, tmp_path: Path):
    answer = run_dedupe(write_lines(tmp_path / "in.jsonl", LINES), "--evidence", "--quiet")
    evidence = answer.records[2]["evidence"]
    assert evidence["compared_with"] == 1
    assert evidence["earlier_coverage"] > 0.9
    assert answer.err == ""


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bytes])
def test_compressed_files_are_recognised_by_their_bytes(run_dedupe: Any, tmp_path: Path, compress: Any):
    plain = write_lines(tmp_path / "plain.jsonl", LINES).read_bytes()
    (tmp_path / "in").write_bytes(compress(plain))
    out = tmp_path / "out.jsonl"
    answer = run_dedupe(tmp_path / "in", "--out", out, "--json")
    assert answer.out == ""
    assert len(out.read_text().splitlines()) == 4
    assert json.loads(answer.err)["duplicate"] == 2


def test_standard_input_is_read_too(tmp_path: Path):
    lines = gzip.compress(write_lines(tmp_path / "in.jsonl", LINES).read_bytes())
    command = [sys.executable, "-m", "headwater.cli", "dedupe", "-"]
    completed = subprocess.run(
        command, input=lines, capture_output=True, check=True, timeout=DEADLINE, cwd=tmp_path
    )
    assert [json.loads(line)["duplicate_of"] for line in completed.stdout.splitlines()] == [None, None, 1, 2]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "truncated"),
        (b"\xff\xfe", "malformed"),
        (b'{"body": "no id"}', "missing required field `id`"),
        (b'{"id": 9, "title": 7}', "$.title"),
        (b'{"id": 9, "published_at": "yesterday"}', "published_at is not an ISO 8601 date: 'yesterday'"),
        (b'{"id": "1"}', "the id '1' occurs in an earlier line"),
        (b'{"id": 9, "deep": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"id": 9, "body": "' + b"long" * 500 + b'"}', "longer than"),
    ],
)
def test_a_bad_line_is_named_with_its_number_or_skipped(
    run_dedupe: Any, tmp_path: Path, line: bytes, why: str, monkeypatch: pytest.MonkeyPatch
):
    if why == "longer than":
        monkeypatch.setattr(json_lines, "LONGEST_LINE", 1000)
    first, *following_lines = write_lines(tmp_path / "in.jsonl", LINES).read_bytes().splitlines(keepends=True)
    (tmp_path / "in.jsonl").write_bytes(b"".join([first, b"\n", line, b"\n", *following_lines]))
    stopped = run_dedupe(tmp_path / "in.jsonl")
    assert stopped.code == 1
    assert "line 3 is not a valid article" in stopped.err
    assert why in stopped.err
    assert len(stopped.records) == 1
    skipped = run_dedupe(tmp_path / "in.jsonl", "--skip-bad")
    assert (skipped.code, len(skipped.records)) == (0, 4)
    assert "line 3 is not a valid article" in skipped.err
    assert "1 line skipped" in skipped.err


def test_a_damaged_file_is_reported_in_one_sentence(run_dedupe: Any, tmp_path: Path):
    packed = gzip.compress(write_lines(tmp_path / "in.jsonl", LINES).read_bytes())
    (tmp_path / "in.gz").write_bytes(packed[:-20])
    answer = run_dedupe(tmp_path / "in.gz")
    assert (answer.code, len(answer.err.splitlines())) == (1, 1)
    assert "is damaged after line" in answer.err


def test_missing_files_and_an_output_over_the_input_are_refused(run_dedupe: Any, tmp_path: Path):
    source = write_lines(tmp_path / "in.jsonl", LINES)
    before = source.read_bytes()
    assert "No such file" in run_dedupe(tmp_path / "missing.jsonl").err
    assert "same file" in run_dedupe(source, "--out", source).err
    assert "No such file" in run_dedupe(source, "--out", tmp_path / "nowhere" / "out.jsonl").err
    assert source.read_bytes() == before


def test_the_profile_selects_the_rules(run_dedupe: Any, tmp_path: Path):
    same_title = [article(n, body, publisher="Wire") for n, body in enumerate((STORY, OTHER))]
    source = write_lines(tmp_path / "in.jsonl", same_title)
    by_profile = {
        name: run_dedupe(source, "--profile", name).records[1]["rule"] for name in ("default", "titles")
    }
    assert by_profile == {"default": "", "titles": "fuzzy-title"}
    assert run_dedupe(source, "--profile", "other").code == 2


def test_a_byte_order_mark_does_not_belong_to_the_first_line(run_dedupe: Any, tmp_path: Path):
    path = tmp_path / "bom.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": 1, "body": "x"}\r\n{"id": 2, "body": "y"}\r\n')
    assert [record["id"] for record in run_dedupe(path).records] == [1, 2]


@pytest.mark.parametrize("words", [("--out", "/dev/full"), ()])
def test_a_full_disk_is_reported_in_one_sentence(tmp_path: Path, words: tuple[str, ...]):
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": 1, "body": "x"}\n')
    command = f"{shlex.quote(sys.executable)} -m headwater.cli dedupe in.jsonl {' '.join(words)}"
    full = f"{command} > /dev/full" if not words else command
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    completed = subprocess.run(
        ["/bin/sh", "-c", full], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 1
    assert completed.stderr.count("\n") == 1
    assert "No space left on device" in completed.stderr


def test_any_order_and_missing_dates_are_accepted(run_dedupe: Any, tmp_path: Path):
    """Later lines are compared with earlier ones regardless of their dates."""
    path = tmp_path / "in.jsonl"
    lines = [
        {"id": "late", "body": STORY, "published_at": "2026-03-04T12:00:00Z"},
        {"id": "early", "body": COPY, "published_at": "2026-03-03T12:00:00+02:00"},
        {"id": "undated", "body": STORY},
        {"id": "empty"},
        {"id": "nothing", "body": None, "title": None, "published_at": None},
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines))
    originals = {record["id"]: record["duplicate_of"] for record in run_dedupe(path).records}
    assert originals == {"late": None, "early": "late", "undated": "late", "empty": None, "nothing": None}


def test_the_same_file_has_the_same_results_with_every_hash_seed(tmp_path: Path):
    path = tmp_path / "in.jsonl"
    bodies = [STORY, COPY, OTHER, f"{STORY} More follows.", STORY.rsplit(". ", 1)[0]]
    path.write_text(
        "\n".join(
            json.dumps({"id": n, "body": body, "publisher": f"P{n % 2}"}) for n, body in enumerate(bodies)
        )
    )
    outputs = [
        shell("dedupe", "in.jsonl", "--evidence", at=tmp_path, PYTHONHASHSEED=seed).out for seed in ("1", "2")
    ]
    assert outputs[0]
    assert outputs[0] == outputs[1]
