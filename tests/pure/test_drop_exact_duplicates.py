"""Exact duplicates: the same address, the same identifier of the same publisher, the same words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.dedupe.drop_exact_duplicates import DropExactDuplicates, exact_fingerprints
from headwater.model.document import Document, Fingerprint
from headwater.model.outcomes import Drop
from headwater.model.recipe import Outcome, StepContext

NOW = datetime(2026, 11, 13, 12, 0, tzinfo=UTC)
LONG = (
    "The harbour company said on Friday that it would open a second quay before the end of the winter season "
    * 2
)
step = DropExactDuplicates()


@dataclass
class StoredFingerprints:
    """What is stored already."""

    owners: dict[Fingerprint, str] = field(default_factory=dict)

    def fingerprint_owners(
        self, recipe: str, fingerprints: Sequence[Fingerprint]
    ) -> Mapping[Fingerprint, str]:
        return {
            fingerprint: self.owners[fingerprint]
            for fingerprint in fingerprints
            if fingerprint in self.owners
        }

    def documents(self, ids: Sequence[str]) -> Mapping[str, Document]:
        return {}

    def store(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, Document):
                self.owners.update(dict.fromkeys(outcome.fingerprints, outcome.id))


def _document(name: str, **fields) -> Document:
    values = {"url": f"https://wire.example/{name}", "text": f"{name} {LONG}", "source": "wire"} | fields
    return Document(id=name, recipe="r", lead=name, **values)


def _decide(batch: Sequence[Document], stored: StoredFingerprints | None = None) -> dict[str, Outcome]:
    outcomes = step(batch, StepContext("r", NOW, stored or StoredFingerprints()))
    return {document.id: outcome for document, outcome in zip(batch, outcomes, strict=True)}


def _dropped(outcomes: Mapping[str, Outcome]) -> dict[str, tuple[str, str | None]]:
    return {name: (o.reason, o.of) for name, o in outcomes.items() if isinstance(o, Drop)}


def test_different_documents_all_stay_and_carry_their_fingerprints():
    outcomes = _decide([_document("a"), _document("b", guid="g")])
    assert _dropped(outcomes) == {}
    assert [fingerprint.kind for fingerprint in outcomes["b"].fingerprints] == ["url", "guid", "text"]
    assert all(fingerprint.exclusive for fingerprint in outcomes["b"].fingerprints)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"url": "https://WIRE.example/a?utm_source=x"}, "duplicate:url"),
        ({"canonical_url": "https://wire.example/a"}, "duplicate:url"),
        ({"guid": "shared"}, "duplicate:guid"),
        ({"text": f"A   {LONG.upper()}!"}, "duplicate:text"),
    ],
)
def test_c16_a_copy_is_dropped_and_names_its_original(fields: dict, reason: str):
    first = _document("a", guid="shared", published=NOW)
    outcomes = _decide([_document("b", published=NOW + timedelta(hours=1), **fields), first])
    assert _dropped(outcomes) == {"b": (reason, "a")}
    assert outcomes["b"].evidence


def test_c16_the_address_is_checked_before_the_identifier_and_the_identifier_before_the_words():
    first = _document("a", guid="g", published=NOW)
    copy = _document("b", url=first.url, guid="g", text=first.text)
    assert _dropped(_decide([first, copy])) == {"b": ("duplicate:url", "a")}
    copy = _document("b", guid="g", text=first.text)
    assert _dropped(_decide([first, copy])) == {"b": ("duplicate:guid", "a")}


def test_an_identifier_counts_within_its_source_only():
    assert _dropped(_decide([_document("a", guid="1"), _document("b", guid="1", source="other")])) == {}


def test_short_text_has_no_fingerprint():
    assert _dropped(_decide([_document("a", text="Read more"), _document("b", text="Read more")])) == {}


def test_the_earliest_published_stays_and_undated_ones_come_last():
    late, early = (
        _document("a", text=LONG, published=NOW),
        _document("b", text=LONG, published=NOW - timedelta(1)),
    )
    undated = _document("0", text=LONG)
    assert _dropped(_decide([undated, late, early])) == {
        "a": ("duplicate:text", "b"),
        "0": ("duplicate:text", "b"),
    }


def test_a_stored_document_wins_whenever_it_was_published():
    stored = StoredFingerprints()
    stored.store(_decide([_document("a", text=LONG, published=NOW)], stored).values())
    assert _dropped(_decide([_document("b", text=LONG, published=NOW - timedelta(days=9))], stored)) == {
        "b": ("duplicate:text", "a")
    }


texts = st.sampled_from(["one", "two", "three", "four"]).map(lambda word: f"{word} {LONG}")
moments = st.none() | st.integers(0, 3).map(lambda hours: NOW + timedelta(hours=hours))


@st.composite
def batches(draw: st.DrawFn) -> list[Document]:
    return [
        _document(
            f"d{i}",
            url=f"https://wire.example/{draw(st.integers(0, 9))}",
            guid=draw(st.sampled_from(["", "", "g1", "g2"])),
            source=draw(st.sampled_from(["wire", "post"])),
            text=draw(texts),
            published=draw(moments),
        )
        for i in range(draw(st.integers(1, 8)))
    ]


@given(batches(), st.randoms())
def test_the_order_within_a_batch_changes_nothing(batch: list[Document], chance):
    shuffled = list(batch)
    chance.shuffle(shuffled)
    assert _decide(shuffled) == _decide(batch)


@given(batches())
def test_a_second_run_over_its_own_results_changes_nothing(batch: list[Document]):
    stored = StoredFingerprints()
    first = _decide(batch, stored)
    stored.store(first.values())
    stayed = [document for document in batch if isinstance(first[document.id], Document)]
    again = _decide(stayed, stored)
    assert {name: _fingerprints(o) for name, o in again.items()} == {
        d.id: _fingerprints(first[d.id]) for d in stayed
    }
    assert _dropped(_decide([d for d in batch if d not in stayed], stored)).keys() == _dropped(first).keys()


def _fingerprints(outcome: Outcome) -> tuple[Fingerprint, ...]:
    assert isinstance(outcome, Document)
    return outcome.fingerprints


@given(batches())
def test_remaining_documents_share_no_fingerprint_and_every_drop_names_one_of_them(batch: list[Document]):
    outcomes = _decide(batch)
    stayed = {name: set(_fingerprints(o)) for name, o in outcomes.items() if isinstance(o, Document)}
    assert sum(map(len, stayed.values())) == len(set().union(*stayed.values()))
    for name, (_, of) in _dropped(outcomes).items():
        (document,) = [d for d in batch if d.id == name]
        assert stayed[of] & set(exact_fingerprints(document, 20))
