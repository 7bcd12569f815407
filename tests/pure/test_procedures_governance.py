"""The rules around the files: schema, quality, completeness, citation, addresses, drift, seals."""

from datetime import UTC, datetime, timedelta

import pytest

from headwater.model.errors import Permanent
from headwater_recipes.procedures import recipe
from headwater_recipes.procedures.citation_policy import citation_address, judge_citation
from headwater_recipes.procedures.definition import with_registered_portals
from headwater_recipes.procedures.identity import procedure_id
from headwater_recipes.procedures.knowledge_base.checks import drift_of
from headwater_recipes.procedures.knowledge_base.layout import (
    KnowledgeBaseLayout,
    is_generated,
    url_hash,
    with_seal,
    write_if_changed,
)
from headwater_recipes.procedures.registry.portals import packaged_registry
from headwater_recipes.procedures.schema import schema_problems
from headwater_recipes.procedures.scores import WEIGHTS, completeness_score, extraction_quality, histogram

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
VALID = {
    "version": 1,
    "id": "age-sepe-prestacion-desempleo",
    "nombre": "Prestación por desempleo",
    "source_url": "https://www.sepe.es/a/b",
    "source_type": "age",
    "organismo": "SEPE",
    "descripcion": "Una prestación para quien pierde el empleo.",
    "keywords": ["uno", "dos", "tres"],
    "idioma": "es",
    "extracted_at": "2026-11-13T09:00:00Z",
    "content_hash": "a" * 64,
    "word_count": 120,
    "completeness_score": 0.8,
}


def test_p31_the_schema_accepts_valid_procedures():
    assert schema_problems(VALID) == []
    full = VALID | {
        "plazos": {"solicitud": "Todo el año"},
        "como_solicitar": [{"via": "online", "detalle": "En la sede"}],
        "territorio": {"nivel": "local", "municipio": "madrid", "ccaa": None},
        "tasas": None,
        "requisitos": "Ser mayor de edad",
        "anything": {"else": 1},
    }
    assert schema_problems(full) == []


@pytest.mark.parametrize(
    "change",
    [
        {"id": "A"},
        {"id": "1abc"},
        {"nombre": "Paro"},
        {"descripcion": "Corta."},
        {"keywords": ["uno"]},
        {"source_type": "state"},
        {"content_hash": "zz"},
        {"word_count": 0},
        {"completeness_score": 1.2},
        {"version": 2},
        {"organismo_abrev": "Sepe"},
        {"territorio": {"ccaa": "madrid"}},
        {"territorio": {"nivel": "estatal", "pais": "es"}},
        {"donde_solicitar": {"mapa": "x"}},
        {"plazos": {"solicitud": 3}},
        {"como_solicitar": [{"via": "online"}]},
        {"tasas": {"general": "3"}},
        {"tags": ["Con Mayúscula"]},
        {"verified_by": "nobody"},
        {"requisitos": [""]},
    ],
    ids=str,
)
def test_p31_the_schema_refuses_invalid_values(change: dict):
    assert len(schema_problems(VALID | change)) >= 1


def test_p31_every_required_field_is_reported_when_it_is_missing():
    for name in VALID:
        assert schema_problems({key: value for key, value in VALID.items() if key != name}) == [
            f"$: '{name}' is a required property"
        ]


def test_p33_the_weights_add_up_to_the_stated_sum():
    assert round(sum(weight for _, weight in WEIGHTS), 1) == 8.6
    full = {"nombre": "x", "donde_solicitar": {"urls": ["u"]}}
    assert completeness_score(full) == round(1.7 / 8.6, 2)
    assert completeness_score({"nombre": "x", "donde_solicitar": {"direcciones": ["d"]}}) == round(
        1.4 / 8.6, 2
    )


def test_p27_the_histogram_counts_every_score_once():
    result = histogram([0.0, 0.05, 0.7, 0.99, 1.0])
    assert sum(result.values()) == 5
    assert (result["0.0-0.1"], result["0.7-0.8"], result["0.9-1.0"]) == (2, 1, 2)


def test_p34_languages_are_judged_alike():
    text = "# Títol\n" + "paraula " * 60
    scores = {
        language: extraction_quality(text, parts=3, language=language, confidence=0.95)
        for language in ("es", "ca", "eu", "gl", "en")
    }
    assert {item.score for item in scores.values()} == {1.0}
    assert extraction_quality(text, parts=3, language="fr", confidence=0.95).score == 0.8
    assert extraction_quality("corto", parts=0, language="es", confidence=0.9).verdict == "reject"
    assert extraction_quality("palabra " * 60, parts=0, language="es", confidence=0.2).verdict == "review"
    assert "encoding" not in extraction_quality("EspaÃ±a " * 60, parts=2, language="es", confidence=1).passed


def test_p32_citations_are_judged_by_block_list_then_administration_then_registry():
    registry = packaged_registry()
    verdicts = {
        "https://es.wikipedia.org/wiki/Paro": (False, "blocked:encyclopedia"),
        "https://tramites.wordpress.com/a": (False, "blocked:pattern"),
        "https://sede.cualquiera.gob.es/a": (True, "gob.es"),
        "https://www.sepe.es/a/b": (True, "registry:age-sepe"),
        "https://imserso.es/a/b": (True, "registry:age-imserso"),
        "https://seuelectronica.palma.cat/x": (True, "registry:local-palma"),
        "https://gestoria-rapida.es/a": (False, "not_registered"),
        "https://sede.lo-que-sea.example/a": (True, "reserved"),
    }
    for url, (allowed, rule) in verdicts.items():
        verdict = judge_citation(url, registry)
        assert (verdict.allowed, verdict.rule) == (allowed, rule), url


def test_p35_the_rules_for_the_citation_address_apply_in_order():
    result = citation_address(
        "HTTP://BOE.es/buscar/act.php;jsessionid=1?id=BOE-A-2015-1&utm_source=x&sid=9&p=2#arriba"
    )
    assert result.url == "https://www.boe.es/buscar/act.php?id=BOE-A-2015-1&p=2"
    assert result.notes == ("fragment:arriba", "paged")
    assert result.link_type == "informative"
    assert (
        citation_address("https://sepe.es/HomeSepe/personas/").url == "https://www.sepe.es/HomeSepe/personas"
    )
    assert citation_address("https://becaseducacion.gob.es/").link_type == "homepage"
    assert citation_address("no es una dirección").notes == ("unreadable",)


def test_p35_spanish_is_preferred_only_where_the_page_has_such_a_twin():
    catalan = "https://web.gencat.cat/ca/tramits/un"
    assert citation_address(catalan).url == catalan
    spanish = "https://web.gencat.cat/es/tramits/un"
    assert citation_address(catalan, {"ca": catalan, "es": spanish}) == citation_address(
        spanish, {}
    ).__class__(spanish, "informative", ("variant:es",))


@pytest.mark.parametrize(
    ("days", "status"), [(1, "current"), (45, "current"), (46, "stale"), (90, "stale"), (91, "drifted")]
)
def test_drift_grows_with_the_days_since_the_last_check(days: int, status: str):
    assert drift_of(NOW - timedelta(days=days), NOW)[0] == status


def test_drift_reports_changed_and_missing_pages():
    assert drift_of(NOW, NOW, changed=True)[0] == "drifted"
    assert drift_of(NOW, NOW, missing=True)[0] == "missing"
    assert drift_of(None, NOW)[0] == "missing"


def test_only_unedited_files_count_as_generated():
    document = with_seal({"id": "a", "verificado": False, "verified_by": None})
    assert is_generated(document)
    assert not is_generated(document | {"id": "b"})
    assert not is_generated(with_seal({"id": "a", "verificado": True}))
    assert not is_generated({"id": "a", "keywords": ["escrito a mano"]})
    assert not is_generated(None)


def test_p13_names_of_files_cannot_leave_their_folder(tmp_path):
    layout = KnowledgeBaseLayout(tmp_path)
    for name in ("../x", "a/b", "", ".hidden", "a..b", "x" * 300):
        with pytest.raises(Permanent):
            layout.procedure(name)
    assert len(url_hash("https://www.sepe.es/a/b")) == 16
    assert url_hash("http://sepe.es/a/b/#x") == url_hash("https://www.sepe.es/a/b")


def test_writing_the_same_again_touches_nothing(tmp_path):
    path = tmp_path / "a" / "b.json"
    assert write_if_changed(path, b"1")
    before = path.stat().st_mtime_ns
    assert not write_if_changed(path, b"1")
    assert path.stat().st_mtime_ns == before
    assert [item.name for item in path.parent.iterdir()] == ["b.json"]


def test_ids_name_owner_and_procedure_and_are_cut_between_words():
    assert procedure_id("age", "SEPE", "Prestación por desempleo") == "age-sepe-prestacion-desempleo"
    long = procedure_id("local", "Puerto Claro", "palabra " * 40)
    assert len(long) <= 81
    assert long.endswith("palabra")


def test_p5_the_registry_is_sound_and_every_portal_of_the_seed_is_in_it():
    registry = packaged_registry(demo=False)
    assert len({portal.id for portal in registry.portals}) == len(registry.portals) >= 60
    assert {entry.jurisdiction for entry in registry.portals} == {"age", "ccaa", "local", "boe"}
    assert all(entry.ccaa for entry in registry.portals if entry.jurisdiction == "ccaa")
    assert all(entry.municipality for entry in registry.portals if entry.jurisdiction == "local")
    seeds = "sepe.es seg-social.es madrid.es comunidad.madrid inclusion.gob.es mivau.gob.es mjusticia.gob.es boe.es administracion.gob.es datos.gob.es sede.sepe.gob.es"
    assert all(registry.owner(f"https://{host}/x") for host in seeds.split())
    # No public interface of SIA is known: it is registered, not visited.
    bundled = with_registered_portals({})
    assert recipe().sources == ()
    assert not [source for source in bundled.sources if "sia" in source.name]
    assert {source.kind for source in bundled.sources} == {
        "sitemap",
        "crawl",
        "feed",
        "seeds",
        "boe",
        "datos",
    }
