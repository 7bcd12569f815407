"""Kinds of source: a mistake in a line is reported when the list is loaded, with its field."""

import pytest
from tests.support.poll_sessions import make_source

from headwater.model.source_kind import SourceKind, find_source_problem
from headwater.sources.kinds import STANDARD_KINDS

CORRECT = {
    "feed": {"full_text": True, "fallback": ["https://b.example/feed"], "polling_interval_seconds": 60},
    "sitemap": {"include": ["/news/"], "depth": 2},
    "crawl": {"depth": 2, "pages": 10},
    "seeds": {"urls": ["https://a.example/1"], "recheck_every": "7d"},
    "page": {"selector": "main"},
    "json": {"items": "data", "fields": {"url": "link"}},
    "mail": {"folder": "letters"},
}


@pytest.mark.parametrize("kind", STANDARD_KINDS)
def test_a_correct_source_of_each_kind_has_no_problem(kind):
    assert find_source_problem(make_source(kind, options=CORRECT[kind]), STANDARD_KINDS) is None


@pytest.mark.parametrize(
    ("kind", "options", "field", "words"),
    [
        ("fed", {}, "kind", "did you mean 'feed'?"),
        ("gazette", {}, "kind", "It knows: crawl, feed"),
        ("feed", {"fulltext": True}, "options.fulltext", "did you mean 'full_text'?"),
        ("feed", {"full_text": "yes"}, "options.full_text", "true, false or auto"),
        ("feed", {"fallback": "ftp://b.example"}, "options.fallback", "not an http(s) address"),
        ("sitemap", {"depth": "deep"}, "options.depth", "whole number"),
        ("crawl", {"depth": 7}, "options.depth", "beyond_limits"),
        ("sitemap", {"include": "re:("}, "options.include", "regular expression"),
        ("crawl", {"pages": -1}, "options.pages", "whole number"),
        ("seeds", {"recheck_every": "often"}, "options.recheck_every", "not a duration"),
        ("page", {"selector": 3}, "options.selector", "CSS selector"),
        ("json", {}, "options.fields", "url"),
        ("mail", {}, "options.folder", "Maildir"),
    ],
)
def test_a_mistake_is_named_with_its_field(kind, options, field, words):
    problem = find_source_problem(make_source(kind, options=options), STANDARD_KINDS)
    assert problem is not None
    assert problem.field == field
    assert words in problem.sentence


def test_a_kind_that_polls_an_address_needs_one():
    problem = find_source_problem(make_source("feed", ""), STANDARD_KINDS)
    assert problem is not None
    assert problem.field == "url"


def test_a_kind_that_is_a_plain_function_takes_any_options():
    source = make_source("own", options={"anything": 1})
    assert find_source_problem(source, {"own": lambda source, now: None}) is None


@pytest.mark.parametrize("kind", STANDARD_KINDS.values())
def test_every_kind_and_option_has_a_sentence_for_the_reference(kind: SourceKind):
    for sentence in (kind.help, *kind.options.values()):
        assert sentence.endswith(".")
