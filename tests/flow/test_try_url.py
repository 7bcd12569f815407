"""`headwater try` over the demo internet: what it tells, and that it leaves nothing behind."""

import json

import pytest
import structlog
import yaml
from typer.testing import CliRunner

from headwater.cli.program import app as commands
from headwater.model.document import Document
from headwater.model.http import Response
from headwater.model.outcomes import Drop
from headwater.model.recipe import FunctionStep, Recipe
from headwater.model.source import Trigger
from headwater.ops.url_trial import describe_outcome
from headwater_demo.feeds.catalogue import odd_feeds
from headwater_demo.internet import running


@pytest.fixture(scope="module")
def internet():
    with running() as started:
        yield started


@pytest.fixture
def run(internet, tmp_path):
    path = tmp_path / "headwater.yaml"
    data = tmp_path / "data"
    told = {"data": str(data), "hosts": {"*.example": internet.base_url}, "requests_per_second": 0}
    path.write_text(yaml.safe_dump(told))

    def ask(*words):
        result = CliRunner().invoke(commands, ["--config", str(path), "try", *words], catch_exceptions=False)
        structlog.reset_defaults()  # its log was the runner's own, which is closed now
        assert not data.exists()
        return result

    return ask


def told_of(run, url):
    result = run(url, "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == (0 if told["ok"] else 1)
    return told


def test_a_page_is_told_from_its_rule_to_its_first_lines(internet, run):
    article = next(item for item in internet.truth() if item["host"] == "ledgerlane.example")
    told = told_of(run, article["urls"][0])
    assert told["policy"]["allowed"] is True
    assert "robots" in told["policy"]
    assert (told["answer"]["status"], told["answer"]["media_type"], told["answer"]["charset"]) == (
        200,
        "text/html",
        "utf-8",
    )
    assert told["answer"]["size"] > 500
    assert article["title"] in told["reading"]["title"]
    assert told["reading"]["words"] > 20
    assert told["reading"]["first_lines"]


def test_redirects_are_told_hop_by_hop(run):
    told = told_of(run, "http://maze.example/hops/3")
    assert [hop["status"] for hop in told["answer"]["redirects"]] == [302, 302, 302]
    assert told["answer"]["final_url"] == "http://maze.example/arrived"


@pytest.mark.parametrize(
    ("url", "reason", "allowed"),
    [
        ("http://oddities.example/forbidden", "robots", False),
        ("http://169.254.169.254/latest/meta-data/", "forbidden_address", False),
        ("http://maze.example/private", "forbidden_address", False),
        ("http://maze.example/loop", "redirects", False),
        ("http://oddities.example/nowhere", "http_404", True),
        ("http://oddities.example/packed-bomb", "too_large", False),
    ],
)
def test_a_refusal_says_why(run, url, reason, allowed):
    told = told_of(run, url)
    assert (told["ok"], told["reason"], told["policy"]["allowed"]) == (False, reason, allowed)


def test_the_rule_that_refuses_is_named(run):
    told = told_of(run, "http://oddities.example/forbidden")
    assert "Disallow: /forbidden" in told["detail"]


def test_a_feed_is_told_by_format_and_entries(internet, run):
    url = next(
        feed["url"] for feed in internet.feeds() if feed["expect"] == "ok" and "atom" in feed["format"]
    )
    told = told_of(run, url)
    assert told["feed"]["format"].startswith("atom")
    assert told["feed"]["entries"] == len(told["feed"]["first"]) or told["feed"]["entries"] > 10


def test_a_hostile_feed_is_told_by_what_is_wrong_with_it(run):
    url = next(feed["url"] for feed in odd_feeds() if feed["expect"] == "refused")
    assert told_of(run, url)["reason"] == "not_a_feed:refused_entities"


def test_a_sitemap_is_told_by_its_kind(run):
    told = told_of(run, "http://mapped.example/maps/index.xml")
    assert (told["sitemap"]["kind"], told["sitemap"]["addresses"]) == ("index", 6)
    assert told_of(run, "http://mapped.example/maps/laughs.xml")["reason"] == "not_a_sitemap:refused_entities"


def test_another_alphabet_is_recognised(run):
    assert told_of(run, "http://oddities.example/latin1")["answer"]["charset"] == "iso-8859-1"


def test_people_get_the_same_in_words(run):
    result = run("http://oddities.example/plain")
    assert result.exit_code == 0
    for word in ("policy", "robots", "answer", "text/html", "reading", "words"):
        assert word in result.stdout
    refused = run("http://oddities.example/forbidden")
    assert "Not kept: robots" in refused.stdout


def test_what_the_recipes_quality_gate_says_is_told():
    def quality(document: Document):
        return Drop("too_short", evidence={"words": 3}) if len(document.text) < 20 else document

    def read(data, hints):
        from headwater.model.outcomes import Reading

        return Reading(text=data.decode(), title="T", method="trial")

    recipe = Recipe(
        name="trial",
        version="1",
        sources=(),
        discover={},
        extract={"text/plain": read},
        steps=(FunctionStep(quality, "quality", "1"),),
        trigger=Trigger(cron="0 * * * *"),
    )

    def answered(body):
        return Response(url="http://a.example/", status=200, headers={}, body=body, media_type="text/plain")

    from tests.support.poll_sessions import NOW

    short = describe_outcome("http://a.example/", answered(b"few words"), [recipe], NOW)
    assert (short["ok"], short["reason"]) == (False, "too_short")
    assert short["quality"] == {"verdict": "drop", "reason": "too_short", "step": "quality", "words": 3}
    long = describe_outcome("http://a.example/", answered(b"enough words for anybody to read"), [recipe], NOW)
    assert (long["ok"], long["quality"]["verdict"]) == (True, "keep")
    assert describe_outcome("http://a.example/", answered(b"x"), [], NOW)["reason"] == "unsupported"
