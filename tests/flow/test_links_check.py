"""Link checks over the demo internet: polite, durable, and from the command line."""

import json
import socket
from datetime import timedelta

import pytest
import structlog
import yaml
from tests.support.scene import START, Scene, kept_result
from typer.testing import CliRunner

from headwater.app import App
from headwater.cli.program import app as commands
from headwater.documents.link_health import LinkAlert, LinkPriority, LinkState
from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.model.jobs import Task
from headwater.ops.link_checker import LinkChecker
from headwater.settings.fetch import fetch_settings
from headwater.settings.settings import Settings
from headwater.store.changes.link_health import LinkHealthStore
from headwater_demo.faults import Fault
from headwater_demo.internet import running

PAGE = "http://mapped.example/page/"
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def internet():
    with running() as started:
        yield started


@pytest.fixture(autouse=True)
def _reset_internet(internet):
    internet.clear_faults()
    internet.clear_log()


@pytest.fixture
def app(internet, tmp_path):
    settings = Settings(
        data=str(tmp_path / "data"), hosts={"*.example": internet.base_url}, requests_per_second=0
    )
    app = App(settings, lambda: START)
    yield app
    app.store.engine.dispose()


@pytest.fixture
def fetcher(app):
    http_fetcher = HttpFetcher(fetch_settings(app.settings))
    yield http_fetcher
    http_fetcher.close()


def keep(app, *urls):
    """Kept documents at these addresses."""
    scene = Scene(app.store)
    leads = [scene.lead(str(number), url=url) for number, url in enumerate(urls)]
    scene.poll(*leads)
    scene.fetch(*leads)
    assert scene.refine(*(kept_result(draft) for draft in scene.claim(Task.REFINE))) == []
    links = LinkHealthStore(app.store.engine)
    links.enrol("trial", START)
    return links


def check(links, fetcher, now=START, **alerts):
    return {
        result.link.url: result
        for result in LinkChecker(links, fetcher, lambda: now, **alerts).check("trial", LinkPriority.P2)
    }


def test_p36_good_missing_and_gone_links_are_distinguished(internet, app, fetcher):
    internet.fault("mapped.example", "/page/gone", Fault(status=410), times=2)
    links = keep(app, PAGE + "good", PAGE + "gone", "http://mapped.example/nowhere")
    results_by_url = check(links, fetcher)
    assert results_by_url[PAGE + "good"].health.state is LinkState.WELL
    assert results_by_url[PAGE + "gone"].alerts == (LinkAlert.INACTIVE,)
    assert results_by_url["http://mapped.example/nowhere"].health.reason == "http_404"
    stored = {row["url"]: row["state"] for row in links.links(priority=LinkPriority.P2)}
    assert stored == {url: result.health.state for url, result in results_by_url.items()}


def test_p36_head_comes_first_and_get_only_where_it_proves_nothing(internet, app, fetcher):
    internet.fault("mapped.example", "/page/shy", Fault(status=405))
    results_by_url = check(keep(app, PAGE + "good", PAGE + "shy"), fetcher)
    requests = [(r["method"], r["path"]) for r in internet.log() if r["path"] != "/robots.txt"]
    assert sorted(requests) == [("GET", "/page/shy"), ("HEAD", "/page/good"), ("HEAD", "/page/shy")]
    assert {result.health.state for result in results_by_url.values()} == {LinkState.WELL}


def test_p36_three_failing_checks_alert_and_seven_days_make_inactive(internet, app, fetcher):
    links = keep(app, "http://mapped.example/nowhere")
    alerts, now = [], START
    while True:
        (result,) = check(links, fetcher, now).values()
        alerts += [(alert, result.health.failures) for alert in result.alerts]
        if result.health.due_at is None:
            break
        now = result.health.due_at
    assert alerts == [(LinkAlert.DOWN, 3), (LinkAlert.INACTIVE, result.health.failures)]
    assert now - START >= 7 * DAY
    assert check(links, fetcher, now + 99 * DAY) == {}


def test_links_that_are_not_due_are_not_requested(internet, app, fetcher):
    links = keep(app, PAGE + "good")
    check(links, fetcher)
    internet.clear_log()
    assert check(links, fetcher, START + 29 * DAY) == {}
    assert internet.log() == []
    assert len(check(links, fetcher, START + 30 * DAY)) == 1


def test_robots_and_too_many_requests_are_not_failures(internet, app, fetcher):
    internet.fault("mapped.example", "/page/busy", Fault(status=429, retry_after="3600"))
    results_by_url = check(keep(app, PAGE + "busy", "http://oddities.example/forbidden"), fetcher)
    assert {result.health.failures for result in results_by_url.values()} == {0}
    assert {result.health.reason for result in results_by_url.values()} == {"http_429", "robots"}


def test_a_checker_that_dies_loses_nothing(internet, app, fetcher, monkeypatch):
    links = keep(app, *(PAGE + str(number) for number in range(5)))
    monkeypatch.setattr("headwater.ops.link_checker.BATCH", 2)
    check_run = LinkChecker(links, fetcher, lambda: START).check("trial", LinkPriority.P2)
    first = next(check_run)
    check_run.close()
    results_by_url = check(links, fetcher)
    assert len(results_by_url) == 3
    assert first.link.url not in results_by_url
    assert {row["state"] for row in links.links(priority=LinkPriority.P2)} == {LinkState.WELL}


async def _no_name_resolves(*_: object) -> list[str]:
    raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")


def test_no_link_fails_when_no_host_can_be_reached(app):
    links = keep(app, "http://a.test/", "http://b.test/", "http://c.test/")
    fetcher = HttpFetcher(fetch_settings(app.settings), resolve=_no_name_resolves)
    try:
        results_by_url = check(links, fetcher)
    finally:
        fetcher.close()
    assert {result.health.reason for result in results_by_url.values()} == {"own_network"}
    assert {result.health.failures for result in results_by_url.values()} == {0}


def test_a_wait_for_the_rate_limit_is_not_a_failure(internet, app):
    slow = Settings(data=app.settings.data, hosts=app.settings.hosts, requests_per_second=20)
    fetcher = HttpFetcher(fetch_settings(slow))
    try:
        results_by_url = check(keep(app, *(PAGE + str(number) for number in range(30))), fetcher)
    finally:
        fetcher.close()
    assert {result.health.state for result in results_by_url.values()} == {LinkState.WELL}
    assert len(results_by_url) == 30


@pytest.fixture
def command(app, internet, tmp_path):
    path = tmp_path / "headwater.yaml"
    settings = {
        "data": app.settings.data,
        "hosts": {"*.example": internet.base_url},
        "requests_per_second": 0,
    }
    path.write_text(yaml.safe_dump(settings))

    def run(*words):
        result = CliRunner().invoke(commands, ["--config", str(path), *words], catch_exceptions=False)
        structlog.reset_defaults()  # its log was the runner's own, which is closed now
        return result

    return run


def test_p36_the_command_checks_lists_and_resets(app, command):
    keep(app, PAGE + "good", "http://mapped.example/nowhere")
    report = json.loads(command("links", "check", "--recipe", "trial", "--priority", "P2", "--json").stdout)
    assert report["checked"] == 2
    assert report["states"] == {"failing": 1, "new": 1, "well": 1}
    rows = [
        json.loads(line)
        for line in command("links", "list", "--priority", "P2", "--json").stdout.splitlines()
    ]
    assert [row["state"] for row in rows] == ["failing", "well"]
    again = json.loads(command("links", "check", "--priority", "P2", "--now", "--json").stdout)
    assert again["checked"] == 2
    assert "Reset" in command("links", "reset", "http://mapped.example/nowhere").stdout
    assert "nowhere" in command("links", "list").stdout
    assert "links checked" in command("links", "check").stdout
