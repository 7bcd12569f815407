"""Countries by their names in many languages, capitals and demonyms."""

import pytest
from tests.support.poll_sessions import NOW

from headwater.documents.places.countries import countries, country_code
from headwater.documents.places.tag_places import TagPlaces, rank_places
from headwater.model.document import Document, Mention
from headwater.model.recipe import EmptyKnowledge, StepContext


def tagged(text: str, title: str = "", **attributes: str) -> list[dict[str, object]]:
    document = Document(
        id="d", recipe="r", source="s", lead="l", url="u", title=title, text=text, attributes=attributes
    )
    (outcome,) = TagPlaces()([document], StepContext("r", NOW, EmptyKnowledge()))
    assert isinstance(outcome, Document)
    return list(outcome.attributes.get("geo_entities", ()))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The delegation left for Nigeria on Monday.", "NG"),
        ("El ministro viajó a Alemania ayer.", "DE"),
        ("Die Gespräche in Frankreich dauern an.", "FR"),
        ("Переговоры завершила Россия.", "RU"),
        ("外交部周二表示，日本将派团。", "JP"),
        ("قالت مصر إنها مستعدة.", "EG"),
        ("Officials in Tashkent declined to comment.", "UZ"),
        ("Ukrainian negotiators arrived late.", "UA"),
    ],
)
def test_g3_countries_are_tagged_in_several_languages(text: str, code: str):
    assert [place["alpha2"] for place in tagged(text)] == [code]


def test_g3_places_are_counted_ranked_and_carry_both_codes():
    places = tagged("Kenya and Kenyan firms; then Uganda.", title="Kenya opens a port")
    assert places[0] == {"name": "Kenya", "count": 3, "alpha2": "KE", "alpha3": "KEN", "avg_score": 0.95}
    assert [place["alpha2"] for place in places] == ["KE", "UG"]


def test_g3_the_country_of_the_source_counts_a_little():
    assert tagged("Nothing named here.", sourcecountry="Brasil")[0]["avg_score"] == 0.5
    assert tagged("Nothing named here.", sourcecountry="Atlantis") == []


def test_g3_niger_is_not_nigeria_and_a_longer_name_wins():
    assert [place["alpha2"] for place in tagged("Nigeria closed its border.")] == ["NG"]
    assert [place["alpha2"] for place in tagged("South Sudan agreed.")] == ["SS"]


def test_g3_every_country_has_a_name_and_two_codes():
    by_code = countries()
    assert len(by_code) >= 195
    assert all(len(c.alpha2) == 2 and len(c.alpha3) == 3 and c.name for c in by_code.values())
    assert country_code("kor") == country_code("Südkorea") == "KR"


def test_g3_a_subject_that_is_not_a_country_is_left_out():
    assert rank_places([Mention("QQ", "name", 0.9)]) == []
