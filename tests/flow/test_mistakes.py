"""The mistakes of a new user: every message says what to do, and the page that lists them shows what is printed now."""

from pathlib import Path

import pytest
from tests.mistakes import MISTAKES, Kitchen, message

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "errors.md"


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Kitchen:
    return Kitchen.fresh(tmp_path_factory.mktemp("template"))


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_with_what_to_do(name: str, kitchen: Kitchen, tmp_path: Path):
    mistake = MISTAKES[name]
    answer = kitchen.make(mistake, tmp_path)
    assert answer.code == mistake.code, answer
    sentence = message(answer)
    assert [words for words in mistake.remedy if words not in sentence] == [], sentence
    assert "Traceback" not in answer.err
    if mistake.code == 1 and answer.err:
        assert len(answer.err.splitlines()) == 1, answer.err
    assert f"| {mistake.name} |" in PAGE.read_text(encoding="utf-8")
    assert sentence.replace("|", "\\|").replace("<", "&lt;") in PAGE.read_text(encoding="utf-8")


def test_there_are_at_least_fifty():
    assert len(MISTAKES) >= 50
