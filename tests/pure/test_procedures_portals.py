"""Fields read from the demo's portals against the truth."""

import pytest
from benchmarks.procedures import measure

from headwater_demo.procedures.portal_pages import (
    first_unseen_pages,
    pages_without_procedure,
    procedure_pages,
    second_unseen_pages,
    third_unseen_pages,
)


@pytest.fixture(scope="module")
def figures():
    return measure([*procedure_pages(), *pages_without_procedure()])


def test_the_portals_are_many_in_five_languages_and_many_templates():
    assert len(procedure_pages()) >= 40
    assert {page.truth["idioma"] for page in procedure_pages()} == {"es", "ca", "gl", "eu", "en"}
    assert len({page.template for page in procedure_pages()}) >= 9


def test_p16_no_procedure_is_missed_or_invented_and_fields_are_nearly_all_right(figures):
    assert figures["precision"] >= 0.95
    assert figures["recall"] >= 0.90
    assert figures["missing"] == figures["false_procedures"] == 0


def test_p33_nearly_all_procedures_are_complete(figures):
    assert figures["complete_share"] >= 0.9


def test_p16_unseen_templates_reach_the_same_precision_and_recall():
    unseen = measure([*first_unseen_pages(), *second_unseen_pages(), *third_unseen_pages()])
    assert unseen["pages"] == 84
    assert unseen["precision"] >= 0.95
    assert unseen["recall"] >= 0.90
