"""The key of a subject has a length that both databases hold; a longer one is refused where it is made."""

from pathlib import Path

import pytest

from headwater.documents.mentions.matcher import build_matcher
from headwater.model.errors import Refused
from headwater.model.source import Lead, Source
from headwater.model.subject import MAX_SUBJECT_LENGTH, Alias
from headwater.settings.sources import load_sources

LONG, LONGER = "s" * MAX_SUBJECT_LENGTH, "s" * (MAX_SUBJECT_LENGTH + 1)
MAKERS = [
    lambda subject: Lead(identity="a", url="https://a.example/", subject=subject),
    lambda subject: Source(id="a", recipe="r", kind="feed", name="A", subject=subject),
    lambda subject: build_matcher([Alias("Ledger Lane", subject)]),
]


@pytest.mark.parametrize("make", MAKERS)
def test_a_subject_that_not_every_database_holds_is_refused(make):
    with pytest.raises(Refused, match="65 characters; use at most 64"):
        make(LONGER)


@pytest.mark.parametrize("make", MAKERS)
def test_a_subject_of_the_greatest_length_is_accepted(make):
    assert make(LONG) is not None


def test_a_source_list_names_the_line_of_such_a_subject(tmp_path: Path):
    path = tmp_path / "feeds.yaml"
    line = f"{{name: A, url: 'https://a.example/', subject: {LONGER}}}"
    path.write_text(f"sources:\n  - {line}\n", encoding="utf-8")
    with pytest.raises(Refused) as refused:
        load_sources(path, "crypto")
    assert refused.value.detail == f"{path}: sources[0].subject: use 1 to 64 characters"
