"""What an installation brings along: licences, versions, and the bill of materials."""

import json
import sys
import tomllib
from pathlib import Path

import pytest
from tests.flow.command_line import call

from headwater.cli import sbom
from headwater.installed_packages import Package, as_cyclonedx, installed_packages, is_strong_copyleft

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text("utf-8"))[
    "project"
]
EXTRAS = PROJECT["optional-dependencies"]


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_every_package_names_its_licence_and_none_is_gpl(extra: str):
    packages = installed_packages(EXTRAS[extra] if extra else PROJECT["dependencies"])
    print(extra or "default", {package.name: package.licence for package in packages})
    if not extra:
        assert {"lxml", "aiohttp", "yarl"} <= {package.name for package in packages}
    assert [package.name for package in packages if not package.licence] == []
    assert [package.name for package in packages if is_strong_copyleft(package.licence)] == []


@pytest.mark.parametrize(
    ("licence", "strong"),
    [
        ("GPL-3.0-or-later", True), ("AGPL-3.0-only", True), ("GNU General Public License v3 (GPLv3)", True),
        ("GNU Affero General Public License v3", True), ("MIT AND GPL-2.0-only", True), ("LGPL-3.0-only", False),
        ("GNU Lesser General Public License v3 (LGPLv3)", False), ("MPL-1.1 OR GPL-2.0-only", False), ("MIT", False),
        ("GNU Library or Lesser General Public License (LGPL)", False), ("LGPL-2.1-only AND GPL-2.0-only", True),
    ],
)  # fmt: skip
def test_gpl_is_recognised_and_lgpl_or_a_choice_is_not_taken_for_it(licence: str, strong: bool):
    assert is_strong_copyleft(licence) is strong


def test_the_bill_of_materials_is_complete_and_the_same_each_time(tmp_path: Path):
    for name in ("one", "two"):
        sbom.main(tmp_path / name / "sbom.json")
    text = (tmp_path / "one" / "sbom.json").read_text("utf-8")
    assert text == (tmp_path / "two" / "sbom.json").read_text("utf-8")
    bill = json.loads(text)
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert bill["metadata"]["component"]["name"] == "headwater"
    references = {component["bom-ref"] for component in bill["components"]}
    assert {component["name"] for component in bill["components"]} >= {"lxml", "sqlalchemy"}
    assert len(references) == len(bill["components"])
    assert all(set(entry["dependsOn"]) <= references for entry in bill["dependencies"])


def test_a_licence_is_an_expression_or_a_name():
    own = Package(name="a", version="1", licence="MIT", is_expression=True, needs=("b",))
    bill = as_cyclonedx(own, [Package(name="b", version="2", licence="BSD License")])
    assert bill["metadata"]["component"]["licenses"] == [{"expression": "MIT"}]
    assert bill["components"][0]["licenses"] == [{"license": {"name": "BSD License"}}]
    assert bill["dependencies"][0] == {"ref": "pkg:pypi/a@1", "dependsOn": ["pkg:pypi/b@2"]}


@pytest.mark.parametrize("words", [("--version", "--json"), ("--json", "--version")])
def test_the_version_as_json_names_python_and_every_dependency(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    record = call(capsys, monkeypatch, *words).record
    assert record["headwater"] == PROJECT["version"]
    assert record["python"] == ".".join(map(str, sys.version_info[:3]))
    assert {"lxml", "sqlalchemy", "greenlet"} & set(record["dependencies"])


def test_json_without_version_belongs_after_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    assert call(capsys, monkeypatch, "--version").out.startswith("headwater ")
    assert call(capsys, monkeypatch, "--json", "status").code == 2
