"""Fingerprints of text, title, URL, guid and payload."""

import hashlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.documents.dedupe.articles import (
    Article,
    guid_fingerprint,
    nfkd_text_fingerprint,
    text_fingerprint,
    title_content_fingerprint,
    url_fingerprint,
)
from headwater.text.folding import fold_text
from headwater_recipes.markets.payload_hash import payload_hash


def article(**fields):
    return Article(**{"id": "1", "body": "The mill at Arden shut on Monday.", **fields})


@given(st.text(max_size=80))
def test_normalising_text_is_idempotent(text):
    assert fold_text(fold_text(text)) == fold_text(text)


def test_text_fingerprint_ignores_case_accents_and_punctuation():
    assert text_fingerprint(article(body="Café \u2013 OPEN!")) == text_fingerprint(
        article(body="cafe\u0301 open")
    )
    assert text_fingerprint(article(body="café shut")) != text_fingerprint(article(body="café open"))
    assert text_fingerprint(article(body=" … ")) is None


def test_c18_title_and_content_have_their_published_hashes():
    title, content = hashlib.md5(b"mill shuts").hexdigest(), hashlib.md5(b"x" * 1000).hexdigest()
    fingerprint = title_content_fingerprint(article(title="  Mill Shuts ", body="x" * 1000 + "tail"))
    assert fingerprint.value == f"{title}:{content}"
    assert title_content_fingerprint(article(title="Mill shuts", body="")) is None
    assert title_content_fingerprint(article(title="", body="x")) is None


def test_g9_nfkd_text_fingerprint_strips_accents_and_signs():
    assert nfkd_text_fingerprint(article(body="Café,  open!")) == nfkd_text_fingerprint(
        article(body="CAFE\u0301 open")
    )


def test_url_and_guid_fingerprints_need_a_value():
    assert url_fingerprint(article()) is None
    assert guid_fingerprint(article()) is None
    assert guid_fingerprint(article(guid="7", publisher="Post")) != guid_fingerprint(
        article(guid="7", publisher="Star")
    )


def test_r51_payload_hash_ignores_volatile_keys_at_any_depth():
    first = {"request_id": "a1", "took": 3, "results": [{"id": 7, "took": 1, "title": "Mill shuts"}]}
    second = {"results": [{"title": "Mill shuts", "id": 7, "took": 9}], "took": 12, "request_id": "b2"}
    assert payload_hash(first) == payload_hash(second)
    assert payload_hash(first) != payload_hash({**first, "results": []})


@pytest.mark.parametrize("order", list(itertools.permutations(["a", "b", "c"])))
def test_r51_payload_hash_ignores_the_order_of_keys(order):
    assert payload_hash(dict.fromkeys(order, 1)) == payload_hash({"a": 1, "b": 1, "c": 1})


def test_payload_hash_keeps_the_order_of_lists():
    assert payload_hash([1, 2]) != payload_hash([2, 1])
