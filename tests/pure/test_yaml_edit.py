"""Fields of a YAML file are changed without touching the rest."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from headwater.model.errors import Refused
from headwater.settings.yaml_edit import set_field

KEYS = ("recipes", "markets", "sources")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "recipes:\n  markets:\n    sources: bundled\n"),
        ("# only a comment", "# only a comment\nrecipes:\n  markets:\n    sources: bundled\n"),
        ("data: x  # mine\n", "data: x  # mine\nrecipes:\n  markets:\n    sources: bundled\n"),
        (
            "recipes:\n  news: {}  # first\ndata: x\n",
            "recipes:\n  news: {}  # first\n  markets:\n    sources: bundled\ndata: x\n",
        ),
        ("recipes: {}\n", "recipes: {markets: {sources: bundled}}\n"),
        ("recipes: {news: {}}\n", "recipes: {news: {}, markets: {sources: bundled}}\n"),
        ("recipes: {markets: {sources: a.yaml}}\n", "recipes: {markets: {sources: bundled}}\n"),
    ],
)
def test_a_field_is_set_and_the_rest_stays(before: str, after: str):
    assert set_field(before, KEYS, "bundled") == after


def test_a_parent_without_fields_is_refused():
    with pytest.raises(Refused, match="by hand"):
        set_field("recipes: none\n", KEYS, "bundled")


names = st.sampled_from(["recipes", "markets", "sources", "data", "news"])
documents = st.recursive(
    st.sampled_from(["x", "1"]), lambda inner: st.dictionaries(names, inner, max_size=3), max_leaves=6
)


@given(st.dictionaries(names, documents, max_size=3), st.booleans())
def test_setting_a_field_sets_exactly_this_field(document: dict, flow: bool):
    text = yaml.safe_dump(document, default_flow_style=flow) if document else ""
    expected = yaml.safe_load(text) or {}
    try:
        changed = set_field(text, KEYS, "bundled")
    except Refused:
        return
    parent = expected
    for key in KEYS[:-1]:
        parent = parent.setdefault(key, {})
    parent[KEYS[-1]] = "bundled"
    assert yaml.safe_load(changed) == expected
