"""What a new user reads: causes that are true, and tables that are the same for every list."""

import sys

import pytest

from headwater import cli as command_line
from headwater.cli.pipeline.sources_add import read_options
from headwater.cli.render.run_summary import RecipeCounts, unread_entries, unread_sources
from headwater.fetch.failure_sentences import failure_words
from headwater.model.errors import Refused
from headwater.model.http import Response
from headwater.model.jobs import State, stored_states
from headwater.ops.feed_check import operator_source
from headwater.ops.same_sources import same_source_warnings
from headwater.ops.source_detection import lasting_url
from headwater.ops.source_status import source_status
from headwater.ops.system_rules import captures_check
from headwater.python_api.records import RecordList
from headwater.python_api.standalone import dedupe, read
from headwater.settings.recipes import GroupSettings, RecipeSettings, is_by_meaning
from headwater.settings.sources import parse_trigger
from headwater.store.reads.document_list import document_columns


def _source(reason: str | None, **values: object) -> dict[str, object]:
    return {"active": True, "last_polled_at": 1, "reason": reason, "failures": 0, **values}


def test_a_run_read_nothing_only_if_every_source_failed():
    assert unread_sources([_source("dns"), _source("refused"), _source("dns", active=False)]) == 2
    assert unread_sources([_source("breaker_open"), _source("http_500", failures=1)]) == 2
    assert unread_sources([_source("dns"), _source("rate_limited")]) == 0
    assert unread_sources([_source(None)]) == 0
    assert unread_sources([]) == 0


def test_entries_that_wait_after_failures_are_a_failed_run_if_none_was_read():
    failed, limited = {"reason": "http_500", "count": 3}, {"reason": "rate_limited", "count": 30}
    few, many = RecipeCounts(came_in=3, waiting=3), RecipeCounts(came_in=30, waiting=30)
    assert unread_entries(few, few, [failed]) == 3
    assert unread_entries(few, RecipeCounts(came_in=9, kept=6, waiting=3), [failed]) == 0
    assert unread_entries(many, RecipeCounts(came_in=90, kept=60, waiting=30), [failed, limited]) == 3
    assert unread_entries(many, many, [limited]) == 0


def test_https_to_a_port_without_it_is_not_a_bad_certificate():
    assert "http://" in failure_words(
        "tls", "ClientConnectorSSLError: [SSL: WRONG_VERSION_NUMBER] wrong version"
    )
    assert "certificate" in failure_words("tls", "CertificateError")


def test_a_source_that_waits_for_its_key_is_not_ok():
    row = _source("key_missing", origin="operator", stop_reason=None)
    assert source_status(row) == "no key"
    assert source_status(row | {"reason": None}) == "ok"


def test_two_spellings_of_one_address_are_named_with_the_command_that_removes_one():
    def source(name: str, url: str, **values: object) -> dict[str, object]:
        row = {"id": f"id-{name}", "recipe": "news", "kind": "feed", "name": name, "url": url}
        return _source(None, origin="operator", **row) | values

    slash, plain = source("A", "https://a.example/feed/"), source("B", "https://a.example/feed")
    others = [source("C", "https://c.example/feed"), source("D", "https://a.example/feed/", active=False)]
    (warning,) = same_source_warnings([slash, plain, *others])
    assert "`headwater sources remove id-A` removes the second one" in warning
    (warning,) = same_source_warnings([slash | {"origin": "recipe"}, plain])
    assert "`headwater sources remove id-B`" in warning
    (warning,) = same_source_warnings([row | {"origin": "recipe"} for row in (slash, plain)])
    assert "from the list" in warning
    assert same_source_warnings([slash, plain | {"kind": "page"}]) == []


def test_one_pack_is_not_all_packs():
    assert captures_check([], [], 1).detail == "the only pack is there"
    assert captures_check([], [], 2).detail == "all 2 packs are there"


def test_people_have_one_word_for_what_failed_and_what_a_step_set_aside():
    assert set(stored_states([State.QUARANTINED])) == {State.QUARANTINED, State.ASIDE}
    assert stored_states([State.KEPT, State.DUPLICATE]) == [State.KEPT, State.DUPLICATE]


def test_a_source_is_added_where_permanent_redirects_lead_unless_it_has_a_secret():
    def lasting(*statuses: int, headers: dict[str, str] | None = None) -> str:
        source = operator_source("http://a.example/feed", headers or {})
        hops = tuple((status, f"http://a.example/{number}") for number, status in enumerate(statuses))
        return lasting_url(
            source, Response(url="http://b.example/rss", status=200, headers={}, body=b"", hops=hops)
        )

    assert lasting(301, 308) == "http://b.example/rss"
    assert lasting() == lasting(302) == lasting(301, 302) == "http://a.example/feed"
    assert lasting(301, headers={"Authorization": "env:KEY"}) == "http://a.example/feed"


def test_ctrl_c_while_the_program_is_loaded_ends_it_as_interrupted(monkeypatch: pytest.MonkeyPatch):
    class Interrupting:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "headwater.cli.program":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "headwater.cli.program", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    with pytest.raises(SystemExit, match="130"):
        command_line.main()


def test_an_interval_of_nothing_is_refused():
    with pytest.raises(Refused, match="longer than 0"):
        parse_trigger("0s", None, "source")


def test_a_number_sign_in_an_option_is_no_comment():
    assert read_options(["selector=#news", "depth=2", "include=[/a/, /b/]"]) == {
        "selector": "#news",
        "depth": 2,
        "include": ["/a/", "/b/"],
    }
    assert read_options(["selector='#main'", 'title="a # b"']) == {"selector": "#main", "title": "a # b"}


def test_an_empty_list_of_documents_has_the_columns_of_a_full_one():
    schema = RecordList([], columns=document_columns()).to_arrow().schema
    assert str(schema.field("published_at").type) == "timestamp[us, tz=UTC]"
    assert {str(schema.field(name).type) for name in ("id", "title", "authors", "duplicate_of")} == {"string"}


def test_what_is_no_article_is_refused_with_the_field_that_was_meant():
    with pytest.raises(Refused, match="did you mean 'text'"):
        dedupe([{"txet": "One"}])
    with pytest.raises(Refused, match="NoneType"):
        read(None)


def test_a_recipe_groups_by_meaning_if_the_one_that_it_is_like_does():
    recipes = {
        "energy": RecipeSettings(like="news"),
        "wind": RecipeSettings(like="energy"),
        "plain": RecipeSettings(like="news", group=GroupSettings(cluster="words")),
        "loop": RecipeSettings(like="loop2"),
        "loop2": RecipeSettings(like="loop"),
    }
    names = ["news", "energy", "wind", "plain", "crypto", "loop"]
    assert [name for name in names if is_by_meaning(recipes, name)] == ["news", "energy", "wind"]
