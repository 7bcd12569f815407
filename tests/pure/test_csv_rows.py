"""CSV of untrusted text: no spreadsheet runs it, and none finds another field in it."""

import csv
import io

import pytest

from headwater.archive.row_files import write_csv


def written(row: dict[str, object]) -> str:
    file = io.BytesIO()
    assert write_csv([row], file) == 1
    return file.getvalue().decode()


@pytest.mark.parametrize(
    "start", ["=", "\N{RIGHT-TO-LEFT OVERRIDE}=", "\N{ZERO WIDTH SPACE}+", "\ufe66", "\ufe62", "\u2212"]
)
def test_a_formula_gets_an_apostrophe(start: str):
    assert written({"title": f"{start}1"}) == f"title\r\n'{start}1\r\n"


def test_fields_with_any_separator_are_quoted_and_read_back():
    row = {"a": "x;y", "b": "x\ty", "c": 'say "x", y', "d": None, "e": 1.5, "f": "plain"}
    text = written(row)
    assert text.endswith('"x;y","x\ty","say ""x"", y",,1.5,plain\r\n')
    assert next(csv.DictReader(io.StringIO(text, newline=""))) == {
        name: "" if value is None else str(value) for name, value in row.items()
    }
