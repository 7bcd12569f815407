"""The watch list: its companies, their sources and the two vocabularies."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.poll_sessions import NOW

from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.keys import source_key
from headwater.model.recipe import EmptyKnowledge, StepContext
from headwater.model.schedule import effective_trigger
from headwater_demo.markets.companies import BY_TICKER
from headwater_recipes.markets import recipe
from headwater_recipes.markets.definition import POLL_SECONDS, WATCH_LIST, configure, is_macro
from headwater_recipes.markets.layout import ResourceNames
from headwater_recipes.markets.steps import AddListedMentions, DropArticleDuplicates
from headwater_recipes.markets.watch_list import load_watch_list

LIST = """
entities:
  - {ticker: NGSC, name: Northgate, sector: Chips, cik: "1", aliases: [Gate], brands: [Core]}
  - {ticker: SLNR, name: Solnara, sector: Power}
  - {ticker: GONE, name: Gone, sector: Power, active: false}
sources:
"""


def watch(tmp_path: Path, *sources: str) -> Path:
    path = tmp_path / "list.yaml"
    path.write_text(LIST + "".join(f"  - {{{line}}}\n" for line in sources), encoding="utf-8")
    return path


def test_r1_fifty_companies_in_ten_sectors_are_watched():
    subjects = load_watch_list(WATCH_LIST).subjects
    assert len(subjects) == 50
    assert len({subject.attributes["sector"] for subject in subjects}) == 10
    kinds = {alias.kind for subject in subjects for alias in subject.aliases}
    assert kinds == {"ticker", "legal_name", "alias", "brand"}
    assert all(len(subject.attributes["cik"]) == 10 for subject in subjects)
    # The demo internet has every one of them.
    assert {s.attributes["ticker"]: s.attributes["cik"] for s in subjects} == {
        ticker: company.cik for ticker, company in BY_TICKER.items()
    }


def test_r2_r19_r20_every_kind_of_source_has_its_adapter():
    assert (recipe().sources, recipe().subjects) == ((), ())
    market_recipe = configure(WATCH_LIST, {})
    assert set(market_recipe.discover) == {
        "market_api",
        "news_api",
        "filings_api",
        "web_scrape",
        "broker",
        "macro_news",
    }
    assert {source.kind for source in market_recipe.sources} <= set(market_recipe.discover)
    assert {"news_api", "filings_api", "market_api", "macro_news"} <= {
        source.kind for source in market_recipe.sources
    }


@pytest.mark.parametrize(
    ("kind", "seconds"),
    [("market_api", 300), ("news_api", 300), ("filings_api", 3600), ("macro_news", 600), ("web_scrape", 1800), ("broker", 30)],
)  # fmt: skip
def test_r23_every_kind_has_its_own_poll_interval(kind, seconds):
    market_recipe = recipe()
    usual = market_recipe.triggers[kind]
    assert effective_trigger(None, usual, {}).every == timedelta(seconds=seconds)
    assert POLL_SECONDS[kind] == seconds


def test_r24_r25_a_source_may_set_its_interval_but_not_below_ten_seconds(tmp_path: Path):
    path = watch(tmp_path, "name: a, kind: broker, options: {polling_interval_seconds: 3}")
    (source,) = load_watch_list(path).sources
    assert effective_trigger(source.trigger, recipe().triggers["broker"], source.options).every == timedelta(
        seconds=10
    )


def test_r35_sources_of_companies_carry_their_subject_and_its_attributes(tmp_path: Path):
    watched = load_watch_list(
        watch(tmp_path, "name: news, kind: news_api, per_company: true, credibility: 0.7")
    )
    first, second = watched.sources
    assert (first.name, first.subject) == ("NGSC news", watched.tickers["NGSC"])
    assert first.options == {"ticker": "NGSC", "cik": "1", "name": "Northgate"}
    assert second.options == {"ticker": "SLNR", "name": "Solnara"}
    assert first.credibility == 0.7


def test_r36_macro_sources_have_no_subject(tmp_path: Path):
    (source,) = load_watch_list(watch(tmp_path, "name: macro, kind: macro_news")).sources
    assert (source.subject, source.name) == (None, "macro")


def test_r37_r38_a_line_is_one_source_or_one_for_each_active_company_or_one_for_each_named_one(
    tmp_path: Path,
):
    path = watch(
        tmp_path,
        "name: all, kind: market_api, options: {dataset: grouped}",
        "name: hourly, kind: market_api, per_company: true, options: {dataset: hourly}",
        "name: one, kind: market_api, tickers: [SLNR], options: {dataset: previous}",
    )
    assert [source.name for source in load_watch_list(path).sources] == [
        "all", "NGSC hourly", "SLNR hourly", "SLNR one",
    ]  # fmt: skip


def test_without_active_companies_a_source_for_each_of_them_polls_nothing(tmp_path: Path):
    path = tmp_path / "list.yaml"
    path.write_text("entities: []\nsources: [{name: news, kind: news_api, per_company: true}]\n")
    assert load_watch_list(path).sources == ()


def test_r39_a_source_and_its_subject_have_all_fields_of_a_job(tmp_path: Path):
    """source_id, company_id, ticker, legal_name, source_type, source_name, config, credibility, aliases."""
    watched = load_watch_list(watch(tmp_path, "name: news, kind: news_api, per_company: true"))
    source, subject = watched.sources[0], watched.subjects[0]
    assert source.id == source_key("markets", "news_api", "", "NGSC news")
    assert (source.kind, source.name, source.credibility) == ("news_api", "NGSC news", 0.5)
    assert source.subject == subject.id
    assert (subject.attributes["ticker"], subject.attributes["legal_name"]) == ("NGSC", "Northgate")
    assert {alias.text: alias.kind for alias in subject.aliases} == {
        "NGSC": "ticker",
        "Northgate": "legal_name",
        "Gate": "alias",
        "Core": "brand",
    }


def test_r33_r49_r89_the_namespace_decides_the_names_of_buckets_and_source_types():
    product, neutral = ResourceNames("stonks"), ResourceNames("app")
    assert [product.bucket(kind) for kind in ("market_api", "news_api", "macro_news", "filings_api")] == [
        "stonks-raw-market", "stonks-raw-news", "stonks-raw-news", "stonks-raw-filings",
    ]  # fmt: skip
    assert [neutral.bucket(kind) for kind in ("market_api", "news_api", "filings_api")] == [
        "app-raw-data", "app-raw-content", "app-raw-filings",
    ]  # fmt: skip
    assert (product.bucket("web_scrape"), product.bucket("broker")) == (
        "stonks-raw-pages",
        "stonks-raw-broker",
    )
    assert (product.normalised, neutral.normalised) == ("stonks-normalized", "app-normalized")
    assert (product.source_type("broker"), neutral.source_type("broker")) == ("broker", "execution_api")


def test_r86_macro_events_and_other_documents_go_to_their_queues():
    market_recipe = configure(None, {"namespace": "stonks"})
    macro = Document(
        id="d", recipe="markets", source="s", lead="l", url="", attributes={"document_type": "macro_event"}
    )
    other = macro.with_changes(attributes={"document_type": "news"})
    assert is_macro(macro)
    assert [
        [route.name for route in market_recipe.routes if route.when(item)] for item in (macro, other)
    ] == [
        ["stonks:queue:macro_classification"],
        ["stonks:queue:extraction"],
    ]


def test_r57_companies_that_only_the_source_names_are_mentioned_too():
    step = AddListedMentions({"NGSC": "s1", "SLNR": "s2"})
    document = Document(
        id="d", recipe="markets", source="s", lead="l", url="", subjects=("s1",),
        attributes={"ticker": "NGSC", "tickers": ["NGSC", "SLNR", "SPY"]},
    )  # fmt: skip
    (result,) = step([document], StepContext("markets", None, None))
    assert [(item.subject, item.kind, item.confidence) for item in result.mentions] == [
        ("s1", "listed", 0.9),
        ("s2", "listed", 0.9),
    ]
    assert result.subjects == ("s1", "s2")


def test_r8_filings_that_repeat_one_another_are_both_kept_and_articles_are_not():
    text = (
        "Northgate Semiconductors lifts its outlook after a quarter of growing orders in every region. " * 8
    )
    item = Document(
        id="a", recipe="markets", source="s", lead="l", url="https://x.example/a", title="T", text=text
    )
    other = item.with_changes(id="b", url="https://x.example/b")
    context = StepContext("markets", NOW, EmptyKnowledge())
    filed = [document.with_changes(attributes={"document_type": "filing"}) for document in (item, other)]
    outcomes = DropArticleDuplicates()([filed[0], item, filed[1], other], context)
    assert [outcomes[0], outcomes[2]] == filed
    assert sorted(type(outcome).__name__ for outcome in (outcomes[1], outcomes[3])) == ["Document", "Drop"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"namespace": 3}, "namespace"),
        ({"colour": "red"}, "colour"),
        ({"mentions": "loose"}, "mentions"),
        ({"endpoints": {"moon": "x"}}, "moon"),
    ],
)
def test_an_invalid_option_is_refused_by_name(options, message):
    with pytest.raises(Refused, match=message):
        configure(None, options)


@pytest.mark.parametrize(
    ("line", "message"),
    [("name: a, kind: news_api, tickers: [GONE]", "GONE"), ("name: a, kind: x, colour: red", "colour")],
)
def test_an_invalid_line_is_refused_by_name(tmp_path: Path, line, message):
    with pytest.raises(Refused, match=message):
        load_watch_list(watch(tmp_path, line))


def test_a_ticker_that_occurs_twice_is_refused(tmp_path: Path):
    path = tmp_path / "twice.yaml"
    row = "{ticker: NGSC, name: N, sector: S}"
    path.write_text(f"entities: [{row}, {row}]\nsources: []\n", encoding="utf-8")
    with pytest.raises(Refused, match="twice"):
        load_watch_list(path)
