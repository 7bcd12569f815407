"""Seed lists: in the options, as lines, as a table, as YAML."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.poll_sessions import NOW, make_source, run_session, table

from headwater.model.errors import Permanent, Temporary
from headwater.sources.seeds import discover_seeds, recheck_period

A, B = "http://site.example/a", "https://other.example/b?x=1"


def poll(*, url="", now=NOW, **options):
    return run_session(discover_seeds(make_source("seeds", url, options=options), now), table({}))


def test_p8_every_url_of_the_list_is_a_lead():
    result = poll(urls=[A, {"url": B, "title": "B", "published": "2026-11-12", "tramite": "imv"}])
    first, second = result.leads
    assert (first.identity, first.url, first.version) == (A, A, "")
    assert (second.url, second.title, second.hints) == (B, "B", {"tramite": "imv"})
    assert second.published is not None
    assert result.requests == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("seeds.txt", f"\ufeff# ours\n{A}\n\n  {B}\n"),
        ("seeds.csv", f"title,url\nOne,{A}\nTwo,{B}\n"),
        ("seeds.csv", f"Link;Title\r\n{A};One\r\n{B};Two\r\n"),
        ("seeds.tsv", f"One\t{A}\nTwo\t{B}\n"),
        ("seeds.csv", f"{A}\n{B}\n"),
        ("seeds.yaml", f"- {A}\n- url: {B}\n"),
        ("seeds.yml", f"seeds:\n  - url: {A}\n    checked: 2026-11-12\n  - {B}\n"),
    ],
)
def test_p8_lists_are_read_from_files_of_every_kind(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert poll(file=str(path)).urls == [A, B]


def test_dates_in_yaml_are_stored_as_text(tmp_path):
    path = tmp_path / "seeds.yaml"
    path.write_text(f"- url: {A}\n  checked: 2026-11-12\n  seen: [2026-11-12T10:00:00]\n")
    (lead,) = poll(file=str(path)).leads
    assert lead.hints == {"checked": "2026-11-12", "seen": ["2026-11-12T10:00:00+00:00"]}


def test_a_line_that_is_not_a_url_causes_a_warning():
    result = poll(urls=[A, "site.example/b", "ftp://site.example/c", ""])
    assert result.urls == [A]
    assert result.discovery.warnings == ("bad_address: site.example/b (x3)",)


def test_without_a_list_the_url_of_the_source_is_the_seed():
    assert poll(url=A).urls == [A]


@pytest.mark.parametrize(
    ("options", "kind", "reason"),
    [
        ({}, Permanent, "bad_options"),
        ({"urls": 5}, Permanent, "bad_seeds"),
        ({"urls": [5]}, Permanent, "bad_seeds"),
        ({"file": "no/such/file.txt"}, Temporary, "missing_file"),
        ({"urls": [A], "recheck_every": "often"}, Permanent, "bad_options"),
    ],
)
def test_mistakes_are_reported(options, kind, reason):
    with pytest.raises(kind) as message:
        poll(**options)
    assert message.value.reason == reason


@pytest.mark.parametrize("text", [b"- [", b"\xff\xfe\xfd"])
def test_a_broken_file_is_reported(tmp_path, text):
    path = tmp_path / "seeds.yaml"
    path.write_bytes(text)
    with pytest.raises(Permanent) as message:
        poll(file=str(path))
    assert message.value.reason == "bad_seeds"
    assert str(tmp_path) not in message.value.detail


def test_a_long_list_is_yielded_in_batches():
    result = poll(urls=[f"{A}/{n}" for n in range(2100)])
    assert [len(batch) for batch in result.batches] == [1000, 1000]
    assert len(result.leads) == 2100


@given(st.integers(1, 60), st.integers(0, 4000))
def test_a_url_comes_due_again_once_per_period(days, hours):
    every = timedelta(days=days)
    later = NOW + timedelta(hours=hours)
    passed = recheck_period(A, later, every) - recheck_period(A, NOW, every)
    assert 0 <= passed - (later - NOW) // every <= 1
    assert recheck_period(A, NOW + every, every) == recheck_period(A, NOW, every) + 1


def test_a_long_list_comes_due_gradually():
    urls = [f"{A}/{n}" for n in range(200)]
    day = timedelta(days=1)
    versions = [
        {lead.url: lead.version for lead in poll(urls=urls, recheck_every="10d", now=NOW + n * day).leads}
        for n in range(11)
    ]
    due = [sum(versions[n][url] != versions[n + 1][url] for url in urls) for n in range(10)]
    assert sum(due) == 200
    assert max(due) < 60


def test_a_version_in_the_list_is_kept():
    (lead,) = poll(urls=[{"url": A, "version": 3}]).leads
    assert lead.version == "3"
