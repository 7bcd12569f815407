"""`headwater try` over the demo internet: its report, and that it leaves nothing behind."""

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
def run_try(internet, tmp_path):
    path = tmp_path / "headwater.yaml"
    data = tmp_path / "data"
    settings = {"data": str(data), "hosts": {"*.example": internet.base_url}, "requests_per_second": 0}
    path.write_text(yaml.safe_dump(settings))

    def run_try(*words):
        result = CliRunner().invoke(commands, ["--config", str(path), "try", *words], catch_exceptions=False)
        structlog.reset_defaults()  # its log was the runner's own, which is closed now
        assert not data.exists()
        return result

    return run_try


def try_url(run_try, url):
    result = run_try(url, "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == (0 if report["ok"] else 1)
    return report


def test_a_page_is_reported_from_its_policy_to_its_first_lines(internet, run_try):
    article = next(item for item in internet.truth() if item["host"] == "ledgerlane.example")
    report = try_url(run_try, article["urls"][0])
    assert report["policy"]["allowed"] is True
    assert "robots" in report["policy"]
    assert (report["answer"]["status"], report["answer"]["media_type"], report["answer"]["charset"]) == (
        200,
        "text/html",
        "utf-8",
    )
    assert report["answer"]["size"] > 500
    assert article["title"] in report["reading"]["title"]
    assert report["reading"]["words"] > 20
    assert report["reading"]["first_lines"]


def test_redirects_are_reported_hop_by_hop(run_try):
    report = try_url(run_try, "http://maze.example/hops/3")
    assert [hop["status"] for hop in report["answer"]["redirects"]] == [302, 302, 302]
    assert report["answer"]["final_url"] == "http://maze.example/arrived"


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
def test_a_refusal_is_reported_with_its_reason(run_try, url, reason, allowed):
    report = try_url(run_try, url)
    assert (report["ok"], report["reason"], report["policy"]["allowed"]) == (False, reason, allowed)


def test_the_rule_that_refuses_is_named(run_try):
    report = try_url(run_try, "http://oddities.example/forbidden")
    assert "Disallow: /forbidden" in report["detail"]


def test_a_feed_is_reported_with_its_format_and_entries(internet, run_try):
    url = next(
        feed["url"] for feed in internet.feeds() if feed["expect"] == "ok" and "atom" in feed["format"]
    )
    report = try_url(run_try, url)
    assert report["feed"]["format"].startswith("atom")
    assert report["feed"]["entries"] == len(report["feed"]["first"]) or report["feed"]["entries"] > 10


def test_a_hostile_feed_is_reported_with_its_reason(run_try):
    url = next(feed["url"] for feed in odd_feeds() if feed["expect"] == "refused")
    assert try_url(run_try, url)["reason"] == "not_a_feed:refused_entities"


def test_a_sitemap_is_reported_with_its_kind(run_try):
    report = try_url(run_try, "http://mapped.example/maps/index.xml")
    assert (report["sitemap"]["kind"], report["sitemap"]["addresses"]) == ("index", 6)
    assert (
        try_url(run_try, "http://mapped.example/maps/laughs.xml")["reason"]
        == "not_a_sitemap:refused_entities"
    )


def test_another_charset_is_recognised(run_try):
    assert try_url(run_try, "http://oddities.example/latin1")["answer"]["charset"] == "iso-8859-1"


def test_the_report_is_also_printed_as_text(run_try):
    result = run_try("http://oddities.example/plain")
    assert result.exit_code == 0
    for word in ("policy", "robots", "answer", "text/html", "reading", "words"):
        assert word in result.stdout
    refused = run_try("http://oddities.example/forbidden")
    assert "Not kept: robots" in refused.stdout


def test_the_verdict_of_the_quality_step_is_reported():
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

    def response(body):
        return Response(url="http://a.example/", status=200, headers={}, body=body, media_type="text/plain")

    from tests.support.poll_sessions import NOW

    short = describe_outcome("http://a.example/", response(b"few words"), [recipe], NOW)
    assert (short["ok"], short["reason"]) == (False, "too_short")
    assert short["quality"] == {"verdict": "drop", "reason": "too_short", "step": "quality", "words": 3}
    long = describe_outcome("http://a.example/", response(b"enough words for a reader"), [recipe], NOW)
    assert (long["ok"], long["quality"]["verdict"]) == (True, "keep")
    assert describe_outcome("http://a.example/", response(b"x"), [], NOW)["reason"] == "unsupported"
