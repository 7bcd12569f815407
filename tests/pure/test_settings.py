"""Settings and source lists: a mistake is reported with its file, its line and its field."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.fetch.guard.routes import RequestRouter
from headwater.model.errors import Refused
from headwater.model.keys import source_key
from headwater.model.source import Trigger
from headwater.settings.fetch import fetch_settings
from headwater.settings.rate_limits import RATE_LIMITS_FILE, rules_by_host
from headwater.settings.recipes import BrokenRecipe, RecipeSettings
from headwater.settings.settings import Settings, read_settings
from headwater.settings.source_places import source_beside
from headwater.settings.sources import load_sources, parse_duration
from headwater_recipes.markets.definition import FETCH_LIMITS
from headwater_recipes.news import recipe as news_recipe


def _file(tmp_path: Path, text: str, name: str = "headwater.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def _refused(call, *arguments) -> str:
    with pytest.raises(Refused) as refused:
        call(*arguments)
    assert "\n" not in refused.value.detail
    return refused.value.detail


def _mistake(path: Path) -> str:
    """The mistake in the file; one in a recipe is kept with that recipe."""
    try:
        recipes = read_settings(path, {}).recipes.values()
    except Refused as refused:
        return refused.detail
    return next(own.problem for own in recipes if isinstance(own, BrokenRecipe))


def test_without_a_file_the_defaults_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert read_settings(None, {}) == Settings()
    assert Settings().database_url == "sqlite:///headwater-data/headwater.db"


def test_an_empty_file_has_the_default_settings(tmp_path: Path):
    assert read_settings(_file(tmp_path, ""), {}) == Settings(data=str(tmp_path / "headwater-data"))


def test_settings_are_read_from_the_file(tmp_path: Path):
    path = _file(
        tmp_path,
        "data: elsewhere\nworkers: 3\nhosts: {'*.example': 'http://127.0.0.1:1'}\nallow: ['127.0.0.1:80']\n"
        "requests_per_second: 0\nlog: json\nrecipes:\n  crypto: {sources: feeds.yaml}\n",
    )
    settings = read_settings(path, {})
    assert (settings.data, settings.workers, settings.requests_per_second) == (
        str(tmp_path / "elsewhere"),
        3,
        0,
    )
    assert settings.hosts == {"*.example": "http://127.0.0.1:1"}
    assert settings.recipes == {"crypto": RecipeSettings(sources=str(path.parent / "feeds.yaml"))}


def test_every_path_in_the_settings_is_relative_to_their_file(tmp_path: Path):
    text = """
data: rows
archive: {place: raw, key: "file:key.txt", secret: "env:SECRET"}
objects: s3://objects
database: "sqlite:///mine.db?mode=ro"
environments: {other: {data: there, archive: s3://two, database: "sqlite:////all/other.db"}}
notify: {ops: {kind: slack, url: "file:slack.txt"}}
recipes:
  news: {sources: lists/mine.yaml, subjects: subjects.yaml, folder: out}
  crypto: {sources: bundled}
  own: {file: own.py, sources: /etc/sources.yaml, routes: [{to: table, database: "sqlite:///own.db"}]}
"""
    settings = read_settings(_file(tmp_path, text), {"HEADWATER_OBJECTS": "here"})
    assert settings.data == str(tmp_path / "rows")
    assert (settings.archive_settings.place, settings.archive_settings.secret) == (
        str(tmp_path / "raw"),
        "env:SECRET",
    )
    assert settings.archive_settings.key == f"file:{tmp_path}/key.txt"
    assert settings.notify["ops"].url == f"file:{tmp_path}/slack.txt"
    assert settings.database == f"sqlite:///{tmp_path}/mine.db?mode=ro"
    other = settings.environments["other"]
    assert (other.data, other.archive) == (str(tmp_path / "there"), "s3://two")
    assert other.database == "sqlite:////all/other.db"
    assert settings.objects == "here", "a variable is relative to the current folder"
    recipes = settings.recipes
    assert recipes["news"].sources == str(tmp_path / "lists" / "mine.yaml")
    assert recipes["news"].subjects == str(tmp_path / "subjects.yaml")
    assert recipes["news"].folder == str(tmp_path / "out")
    assert (recipes["crypto"].sources, recipes["own"].sources) == ("bundled", "/etc/sources.yaml")
    assert recipes["own"].file == str(tmp_path / "own.py")
    assert recipes["own"].routes[0].database == f"sqlite:///{tmp_path}/own.db"


def test_files_and_folders_in_a_list_are_relative_to_the_list_and_the_source_stays_the_same(tmp_path: Path):
    text = """sources:
- {name: Letters, kind: mail, options: {folder: mail}}
- {name: Pages, kind: seeds, options: {file: ~/pages.txt, headers: {Authorization: "file:token"}}}
- {name: Wire, url: "https://w.example/feed?a=1&token=file:my%20key", options: {fallback: "https://x.example/?k=file:~/k&b=env:K"}}
"""
    listed = load_sources(_file(tmp_path, text, "list.yaml"), "news")
    letters, pages, wire = [source_beside(source, tmp_path, news_recipe().discover) for source in listed]
    assert letters.options["folder"] == str(tmp_path / "mail")
    assert Path(pages.options["file"]).is_absolute()
    assert pages.options["headers"] == {"Authorization": f"file:{tmp_path}/token"}
    assert wire.url == f"https://w.example/feed?a=1&token=file:{tmp_path}/my%20key"
    assert wire.options["fallback"] == f"https://x.example/?k=file:{Path.home()}/k&b=env:K"
    assert [letters.id, pages.id, wire.id] == [source.id for source in listed]


def test_the_environment_comes_before_the_file(tmp_path: Path):
    path = _file(tmp_path, "data: from-file\nlog: console\n")
    variables = {
        "HEADWATER_DATA": "from-environment",
        "HEADWATER_DATABASE": "sqlite:///x",
        "HEADWATER_LOG": "",
    }
    settings = read_settings(path, variables)
    assert (settings.data, settings.database_url, settings.log) == (
        "from-environment",
        "sqlite:///x",
        "console",
    )


def test_a_named_file_comes_before_that_of_the_environment_and_that_of_the_folder(
    tmp_path: Path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    _file(tmp_path, "data: here\n")
    named_file = _file(tmp_path, "data: named\n", "named.yaml")
    other_file = _file(tmp_path, "data: other\n", "other.yaml")
    environment = {"HEADWATER_CONFIG": str(other_file)}
    assert read_settings(None, {}).data == "here"
    assert read_settings(None, environment).data == str(tmp_path / "other")
    assert read_settings(named_file, environment).data == str(tmp_path / "named")


def test_a_missing_file_is_named(tmp_path: Path):
    message = _refused(read_settings, tmp_path / "none.yaml", {})
    assert message.startswith(f"there is no file {tmp_path}/none.yaml")
    assert message.endswith("init` writes one")


@pytest.mark.parametrize(
    ("text", "line", "field", "problem"),
    [
        ("data: x\nworkers: many\n", 2, "workers", "a whole number"),
        ("data: x\n\n# remark\nwrokers: 2\n", 4, "wrokers", "there is no such field"),
        ("hosts: [a]\n", 1, "hosts", "expected fields"),
        ("data: x\nallow:\n  - good\n  - {bad: 1}\n", 4, "allow.1", "expected text"),
        (
            "data: x\nrecipes:\n  crypto:\n    source: f.yaml\n",
            4,
            "recipes.crypto.source",
            "there is no such field",
        ),
        (
            "recipes:\n  crypto:\n    sources: x\n  other:\n    sources: [1]\n",
            5,
            "recipes.other.sources",
            "expected text",
        ),
        ("- a\n- list\n", 1, "the whole file", "expected fields"),
        ("just words\n", 1, "the whole file", "expected fields"),
    ],
)
def test_a_mistake_is_reported_with_file_line_and_field(
    tmp_path: Path, text: str, line: int, field: str, problem: str
):
    path = _file(tmp_path, text)
    message = _mistake(path)
    assert message.startswith(f"{path}:{line}: {field}: ")
    assert problem in message


@pytest.mark.parametrize("text", ["data: [unclosed\nworkers: 2\n", "a: b: c\n", "\tdata: x\n", "data: 'x\n"])
def test_invalid_yaml_is_reported_with_its_line(tmp_path: Path, text: str):
    path = _file(tmp_path, text)
    message = _refused(read_settings, path, {})
    assert message.startswith(f"{path}:")
    assert "not valid YAML" in message
    assert message[len(f"{path}:")].isdigit()


def test_a_file_that_is_not_text_is_reported(tmp_path: Path):
    path = tmp_path / "headwater.yaml"
    path.write_bytes(b"data: \xff\xfe\x00")
    assert str(path) in _refused(read_settings, path, {})
    assert str(tmp_path) in _refused(read_settings, tmp_path, {})


def test_a_process_needs_two_connections(tmp_path: Path):
    too_few = _file(tmp_path, "connections: {pool_size: 1, max_overflow: 0}", "few.yaml")
    assert "pool_size and max_overflow together must be at least 2" in _refused(read_settings, too_few, {})
    enough = _file(tmp_path, "connections: {pool_size: 1, max_overflow: 1}", "enough.yaml")
    assert read_settings(enough, {}).connections.max_connections == 2


@given(st.binary(max_size=60))
def test_any_file_yields_settings_or_is_refused(tmp_path_factory, body: bytes):
    path = tmp_path_factory.getbasetemp() / "hostile.yaml"
    path.write_bytes(body)
    message = ""
    try:
        settings = read_settings(path, {})
    except Refused as refused:
        message, settings = refused.detail, None
    assert isinstance(settings, Settings) or str(path) in message


@pytest.mark.parametrize(
    ("text", "field"),
    [("log: loud\n", "log"), ("log_level: all\n", "log_level"), ("workers: 0\n", "workers")],
)
def test_a_value_out_of_range_is_reported_with_its_field(tmp_path: Path, text: str, field: str):
    assert _refused(read_settings, _file(tmp_path, text), {}).startswith(f"{field}: ")


# Rates by host.


def test_p10_rates_by_host_may_stand_in_a_file_of_their_own_beside_the_settings(tmp_path: Path):
    path = _file(tmp_path, "rate_limits: {a.example: {rate: 5}, b.example: {rate: 2}}\n")
    _file(
        tmp_path,
        "'*.slow.example': {rate: 0.1, concurrency: 1}\nb.example: {rate: null, robots: false}\n"
        "'*.sec.gov': {rate: 2}\n",
        RATE_LIMITS_FILE,
    )
    settings = read_settings(path, {})
    assert rules_by_host(settings.rate_limits) == {
        "a.example": {"rate": 5.0},
        "*.slow.example": {"rate": 0.1, "concurrency": 1},
        "b.example": {"rate": None, "robots": False},
        "*.sec.gov": {"rate": 2.0},
    }
    hosts = fetch_settings(settings, [FETCH_LIMITS]).hosts
    assert (hosts["*.sec.gov"].rate, hosts["*.sec.gov"].contact, hosts["*.sec.gov"].shared) == (
        2.0,
        True,
        True,
    )
    assert (hosts["b.example"].rate, hosts["b.example"].robots) == (None, False)


def test_p10_without_settings_the_file_of_the_folder_counts(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _file(tmp_path, "a.example: {rate: 3}\n", RATE_LIMITS_FILE)
    assert rules_by_host(read_settings(None, {}).rate_limits) == {"a.example": {"rate": 3.0}}
    _file(tmp_path, "", RATE_LIMITS_FILE)
    assert read_settings(None, {}).rate_limits == {}


WRONG_RATES = [
    ("a.example: {rate: 1}\nb.example:\n  rate: fast\n", 3, "b.example.rate", "a number"),
    ("a.example: {rate: -1}\n", 1, "a.example.rate", ">= 0"),
    ("a.example: {rate: .nan}\n", 1, "a.example.rate", ">= 0"),
    ("a.example: {rate: .inf}\n", 1, "a.example.rate", "<= 1000000"),
    ("a.example: {concurrency: 1.5}\n", 1, "a.example.concurrency", "a whole number"),
    ("a.example:\n  speed: 1\n", 2, "a.example.speed", "there is no such field"),
    ("a.example: {robots: perhaps}\n", 1, "a.example.robots", "true or false"),
    ("a.example: 3\n", 1, "a.example", "expected fields"),
    ("\nhttps://a.example/: {rate: 1}\n", 2, "https://a.example/", "not a host"),
    ("a.*.example: {rate: 1}\n", 1, "a.*.example", "not a host"),
    ("- a.example\n", 1, "the whole file", "expected fields"),
]


@pytest.mark.parametrize(("text", "line", "field", "problem"), WRONG_RATES)
def test_p10_a_mistake_in_the_rates_is_reported_with_file_line_and_field(
    tmp_path, text, line, field, problem
):
    settings, path = _file(tmp_path, ""), _file(tmp_path, text, RATE_LIMITS_FILE)
    message = _refused(read_settings, settings, {})
    assert message.startswith(f"{path}:{line}: {field}: ")
    assert problem in message


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("data: x\nrate_limits:\n  'a b': {rate: 1}\n", 3, "rate_limits.a b"),
        ("rate_limits:\n  a.example:\n    rate: x\n", 3, "rate_limits.a.example.rate"),
        ("data: x\nrequests_per_second: -1\n", 2, "requests_per_second"),
        ('data: x\ncontact: "me\\r\\nX-Evil: 1"\n', 2, "contact"),
        ('rate_limits:\n  a.example: {user_agent: "x\\ny"}\n', 2, "rate_limits.a.example.user_agent"),
        ("hosts:\n  'a b': http://127.0.0.1:1\n", 2, "hosts.a b"),
        ("data: x\nreservations: [tdm, everything]\n", 2, "reservations.1"),
    ],
)
def test_a_mistake_about_fetching_is_reported_with_file_line_and_field(tmp_path, text, line, field):
    path = _file(tmp_path, text)
    assert _refused(read_settings, path, {}).startswith(f"{path}:{line}: {field}: ")


@pytest.mark.parametrize(
    "text", ["127.0.0.1", "127.0.0.1:99999", "10.0.0.0/8:80", "a:b", ":80", "[::1", "host:0"]
)
def test_an_invalid_allowed_address_is_reported(text: str):
    assert _refused(fetch_settings, Settings(allow=[text])).startswith("allow: ")


@pytest.mark.parametrize(
    "base", ["ftp://x", "http://", "http://x:99999", "http://[::1", "http://u@x", "http://x:0"]
)
def test_an_override_that_leads_nowhere_is_reported(base: str):
    settings = fetch_settings(Settings(hosts={"a.example": base}))
    assert "an override needs a base URL" in _refused(RequestRouter, settings)


# Source lists.


def _sources(tmp_path: Path, text: str):
    return load_sources(_file(tmp_path, text, "feeds.yaml"), "crypto")


def test_a_source_is_a_line_of_yaml(tmp_path: Path):
    (source,) = _sources(tmp_path, "sources:\n  - {name: Wire, url: 'https://wire.example/feed'}\n")
    assert (source.name, source.kind, source.active, source.trigger) == ("Wire", "feed", True, None)
    assert source.id == source_key("crypto", "feed", "https://wire.example/feed", "Wire")


def test_a_source_may_have_options(tmp_path: Path):
    text = (
        "sources:\n  - name: Seeds\n    kind: seeds\n    every: 90s\n    subject: coins\n    credibility: 0.9\n"
        "    active: false\n    options: {full_text: true, polling_interval_seconds: 60}\n"
        "  - {name: Nightly, url: 'https://wire.example/', cron: '0 4 * * *'}\n"
    )
    seeds, nightly = _sources(tmp_path, text)
    assert (seeds.kind, seeds.url, seeds.subject, seeds.credibility, seeds.active) == (
        "seeds",
        "",
        "coins",
        0.9,
        False,
    )
    assert seeds.trigger == Trigger(every=timedelta(seconds=90))
    assert seeds.options == {"full_text": True, "polling_interval_seconds": 60}
    assert nightly.trigger == Trigger(cron="0 4 * * *")


@pytest.mark.parametrize(
    ("line", "field", "problem"),
    [
        ("{name: A, url: 'ftp://a.example'}", "url", "not an http(s) address"),
        ("{name: A, url: 'file:///etc/passwd'}", "url", "not an http(s) address"),
        ("{name: A, every: soon}", "every", "not a duration"),
        ("{name: A, every: 90s, cron: '* * * * *'}", "", "not both"),
        ("{name: A, cron: 'every day'}", "cron", "not a cron expression"),
        ("{name: A, cron: '0 0 30 2 *'}", "cron", "not a cron expression"),
        (
            "{name: A, options: {polling_interval_seconds: often}}",
            "options.polling_interval_seconds",
            "seconds",
        ),
        (
            "{name: A, options: {polling_interval_seconds: .nan}}",
            "options.polling_interval_seconds",
            "seconds",
        ),
        (
            "{name: A, options: {polling_interval_seconds: 1.0e+300}}",
            "options.polling_interval_seconds",
            "at most ten years",
        ),
    ],
)
def test_a_bad_source_is_reported_with_its_place(tmp_path: Path, line: str, field: str, problem: str):
    message = _refused(
        _sources, tmp_path, f"sources:\n  - {{name: Good, url: 'https://a.example'}}\n  - {line}\n"
    )
    assert message.startswith(f"{tmp_path}/feeds.yaml: sources[1]{'.' if field else ''}{field}: ")
    assert problem in message


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("sources:\n  - {url: 'https://a.example'}\n", 2, "sources.0"),
        ("sources:\n  - name: A\n    url: 'https://a.example'\n    evry: 5m\n", 4, "sources.0.evry"),
        ("feeds: []\n", 1, "feeds"),
    ],
)
def test_a_source_of_the_wrong_shape_is_reported_with_its_line(
    tmp_path: Path, text: str, line: int, field: str
):
    assert _refused(_sources, tmp_path, text).startswith(f"{tmp_path}/feeds.yaml:{line}: {field}: ")


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("15m", 900), ("4h", 14400), ("1d", 86400), (" 1.5 h ", 5400)]
)
def test_durations_are_parsed(text: str, seconds: float):
    assert parse_duration(text, "x") == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "5", "m", "-5m", "5 minutes", "1e3s", "99999999999999d"])
def test_an_invalid_duration_is_refused(text: str):
    assert _refused(parse_duration, text, "here").startswith("here: ")
