"""Environments and archives in the settings: from the file, from variables and from the command line."""

from pathlib import Path

import pytest

from headwater.app import App, bucket_server
from headwater.model.errors import Refused
from headwater.settings.archive import ArchiveSettings, local_archive_folder, parse_bucket_url
from headwater.settings.settings import Settings, read_settings

FILE = """
data: here
archive: {place: "s3://one/raw", endpoint: "https://objects.example", key: "env:KEY", secret: "file:SECRET"}
queues: rows
environments:
  cluster:
    database: postgresql://user:hidden@db.example/x
    archive: {place: "s3://two", key: a, secret: b}
    redis: redis://cache.example/0
  laptop: {archive: captures}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "headwater.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_an_environment_overrides_the_settings_and_variables_override_both(file: Path):
    plain = read_settings(file, {})
    assert (plain.archive_settings.place, plain.redis, plain.database) == ("s3://one/raw", "", None)
    cluster = read_settings(file, {}, "cluster")
    assert cluster.archive_settings == ArchiveSettings(place="s3://two", key="a", secret="b")
    assert (cluster.redis, cluster.queues, cluster.data) == (
        "redis://cache.example/0",
        "rows",
        str(file.parent / "here"),
    )
    variables = {
        "HEADWATER_ENV": "laptop", "HEADWATER_REDIS": "redis://other.example", "HEADWATER_QUEUES": "elsewhere",
    }  # fmt: skip
    laptop = read_settings(file, variables)
    assert (laptop.archive_settings.place, laptop.redis, laptop.queues) == (
        str(file.parent / "captures"), "redis://other.example", "elsewhere",
    )  # fmt: skip
    assert read_settings(file, variables, "cluster").archive_settings.place == "s3://two"


def test_the_archive_can_be_set_by_variables_alone(file: Path):
    variables = {
        "HEADWATER_ARCHIVE": "s3://three/raw",
        "HEADWATER_ARCHIVE_ENDPOINT": "http://127.0.0.1:1",
        "HEADWATER_ARCHIVE_REGION": "eu",
        "HEADWATER_ARCHIVE_KEY": "k",
        "HEADWATER_ARCHIVE_SECRET": "s",
    }
    archive = read_settings(file, variables).archive_settings
    assert archive == ArchiveSettings("s3://three/raw", "http://127.0.0.1:1", "eu", "k", "s")
    only_secret = read_settings(file, {"HEADWATER_ARCHIVE_SECRET": "s"}).archive_settings
    assert (only_secret.place, only_secret.secret) == ("s3://one/raw", "s")


def test_an_unknown_environment_is_refused_with_the_names_of_the_others(file: Path):
    with pytest.raises(Refused, match=r"no environment 'moon'.*default, cluster, laptop"):
        read_settings(file, {}, "moon")
    with pytest.raises(Refused, match="there are: default"):
        Settings().in_environment("moon")


def test_the_top_level_is_the_environment_default(file: Path, tmp_path: Path):
    plain = read_settings(file, {})
    assert read_settings(file, {"HEADWATER_ENV": "cluster"}, "default") == plain
    other = tmp_path / "other.yaml"
    other.write_text("environments: {default: {data: x}}\n", encoding="utf-8")
    with pytest.raises(Refused, match="the name of the top level"):
        read_settings(other, {})


def test_one_environment_cannot_be_applied_to_another(file: Path):
    """A value that an environment does not name comes from the top level, never from the environment in use."""
    with pytest.raises(Refused, match="no environment 'cluster'"):
        read_settings(file, {}, "laptop").in_environment("cluster")


def test_a_mistake_in_an_environment_is_reported_with_its_line(tmp_path: Path):
    path = tmp_path / "headwater.yaml"
    path.write_text("environments:\n  cluster:\n    databse: x\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"headwater.yaml:3: environments.cluster.databse"):
        read_settings(path, {})


def test_nothing_secret_is_shown(file: Path):
    shown = repr(read_settings(file, {}).environments) + repr(ArchiveSettings(key="hidden", secret="hidden"))
    assert "hidden" not in shown


def test_the_archive_is_in_the_data_folder_unless_it_is_set(tmp_path: Path):
    assert App(Settings(data=str(tmp_path))).archive_folder == tmp_path / "archive"
    assert App(Settings(data=str(tmp_path), archive="other")).archive_folder == Path("other")
    assert App(Settings(archive="s3://one")).archive_folder is None


@pytest.mark.parametrize("place", ["gs://one", "https://host/x"])
def test_other_schemes_are_refused(place: str):
    with pytest.raises(Refused, match="not supported"):
        local_archive_folder(ArchiveSettings(place=place), Path("data"))


@pytest.mark.parametrize(
    "address", ["s3://", "s3://A_b", "s3://a..b", "s3://ok-bucket/../x", "s3://ok-bucket/a b"]
)
def test_an_invalid_bucket_is_refused(address: str):
    with pytest.raises(Refused, match="cannot be a"):
        parse_bucket_url(address)


def test_a_bucket_url_has_a_name_and_a_prefix():
    assert parse_bucket_url("s3://raw-data") == ("raw-data", "")
    assert parse_bucket_url("s3://raw-data/a/b_c/") == ("raw-data", "a/b_c")


@pytest.mark.parametrize(
    "endpoint",
    ["host:9000", "ftp://host", "https://user:secret@host", "https://host/path", "http://[x", "http://h:z"],
)
def test_an_endpoint_has_only_scheme_and_host(endpoint: str):
    with pytest.raises(Refused, match=r"archive\.endpoint") as refused:
        bucket_server(ArchiveSettings(place="s3://one", endpoint=endpoint))
    assert "secret@" not in refused.value.detail


def test_a_key_needs_a_secret():
    with pytest.raises(Refused, match=r"archive\.secret"):
        bucket_server(ArchiveSettings(place="s3://one", key="k"))
    with pytest.raises(Refused, match="no variable NOT_THERE"):
        bucket_server(ArchiveSettings(place="s3://one", key="env:NOT_THERE", secret="s"))


def test_the_url_of_the_database_may_be_in_a_file(tmp_path: Path):
    (tmp_path / "address").write_text("postgresql://user@host/name\n", encoding="utf-8")
    assert Settings(database=f"file:{tmp_path / 'address'}").database_url == "postgresql://user@host/name"
