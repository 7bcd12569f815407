"""JSON columns: what a step noted is read back unchanged, as far as JSON can express it."""

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.scene import Scene

from headwater.model.document import Document, TrailEntry
from headwater.store.schema.columns import to_json
from headwater.store.schema.knowledge import facts

words = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=10)
numbers = st.integers(-(2**53), 2**53) | st.floats(-1e12, 1e12, allow_nan=False).map(lambda n: round(n, 6))
values = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_json_comes_back_as_it_was(value: object):
    assert msgspec.json.decode(to_json(value)) == value


@given(st.text(st.characters(categories=["Cs", "L", "Cc", "P"])))
def test_any_text_can_be_written(text: str):
    decoded = msgspec.json.decode(to_json({text: [text]}))
    (name,) = decoded
    assert len(name) == len(text)
    assert decoded == {name: [name]}
    name.encode()
    assert "\x00" not in name


def test_records_are_written_by_their_fields():
    trail = (TrailEntry("extract", "1", ("text",), {"n": 1}),)
    assert msgspec.json.decode(to_json(trail)) == [
        {"step": "extract", "version": "1", "changed": ["text"], "notes": {"n": 1}}
    ]


@given(words, words)
def test_a_document_survives_json(title: str, text: str):
    document = Document(
        id="d", recipe="r", source="s", lead="l", url="u", title=title, text=text, authors=("a",)
    )
    assert msgspec.json.decode(msgspec.json.encode(document), type=Document) == document


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(st.lists(values, max_size=4))
def test_facts_come_back_from_the_database_as_they_were(scene: Scene, json_value: list[object]):
    with scene.store.engine.begin() as connection:
        connection.execute(facts.delete())
        for number, value in enumerate(json_value):
            row = {"record_id": "r", "name": str(number), "value": value, "step": "s", "version": "1"}
            connection.execute(facts.insert().values(**row))
    stored = {row["name"]: row["value"] for row in scene.rows(facts)}
    assert stored == {str(number): value for number, value in enumerate(json_value)}
