"""Keywords for a matcher that counts substrings: each procedure finds itself, alone and among curated ones."""

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from headwater.model.outcomes import ExtractHints
from headwater_demo.procedures.portal_pages import procedure_pages
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.retrieval.files import (
    KeywordRetriever,
    select_documents,
    unfindable_documents,
)
from headwater_recipes.procedures.retrieval.keywords import (
    SHORTEST_KEYWORD,
    count_matches,
    fold_for_matching,
    is_fragment,
    keywords_for,
)
from headwater_recipes.procedures.standalone import procedures_from

# A folder like that of the assistant, with accent twins and short words.
CURATED = {
    "arraigo": "arraigo, arraigo social, papeles, residencia",
    "ayuda_alquiler": "alquiler, ayuda alquiler, ayuda al alquiler, bono joven, lloguer",
    "becas_comedor": "beca comedor, comedor escolar, menjador",
    "becas_educacion": "beca, becas, beca mec, universidad, estudiar",
    "bono_social_electrico": "bono social, luz, electricidad, factura de la luz",
    "certificado_discapacidad": "discapacidad, certificado de discapacidad, minusvalia, minusvalía",
    "complemento_infancia": "capi, infancia, ayuda por hijos",
    "dependencia": "dependencia, grado de dependencia, ayuda",
    "empadronamiento": "padron, padrón, empadron, empadronarme, empadronamiento, volante",
    "homologacion_titulos": "homologar, homologacion, homologación, titulo extranjero",
    "imv": "imv, ingreso minimo, ingreso mínimo, minimo vital, ayuda",
    "justicia_gratuita": "abogado, abogado gratis, justicia gratuita, oficio",
    "nie_tie": "nie, tie, extranjeria, extranjería",
    "numero_seguridad_social": "numero de la seguridad social, afiliacion, afiliación, nuss",
    "pension_no_contributiva": "no contributiva, pnc, pension, pensión",
    "prestacion_desempleo": "paro, desempleo, sepe, chomage, unemployment",
    "prestacion_hijo_cargo": "hijo a cargo, ayuda por hijo",
    "prestacion_nacimiento": "nacimiento, maternidad, paternidad",
    "proteccion_internacional": "asilo, refugio, refugiado",
    "reagrupacion_familiar": "reagrupacion, reagrupación, traer a mi familia",
    "renta_minima_insercion": "renta minima, renta mínima, rmi, insercion",
    "subsidio_desempleo": "subsidio, subsidio por desempleo, mayores de 52",
    "tarjeta_sanitaria": "tarjeta sanitaria, medico, médico, salud",
}
QUERIES = {
    "necesito empadronarme en Madrid": "empadronamiento",
    "informacion sobre el ingreso minimo vital": "imv",
    "quiero cobrar el paro": "prestacion_desempleo",
    "como consigo el nie": "nie_tie",
    "necesito ayuda para pagar el alquiler": "ayuda_alquiler",
    "necesito un abogado gratis": "justicia_gratuita",
    "como solicitar certificado de discapacidad": "certificado_discapacidad",
    "je veux demander le chomage": "prestacion_desempleo",
    "como pido la pension no contributiva": "pension_no_contributiva",
    "asilo y refugio en España": "proteccion_internacional",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tramites = tmp_path_factory.mktemp("tramites")
    for name, words in CURATED.items():
        document = {
            "tramite": name,
            "nombre": name,
            "keywords": words.split(", "),
            "fuente_url": "https://sede.ejemplo.gob.es/a/b",
            "verificado": True,
        }
        (tramites / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    return tramites


@pytest.fixture(scope="module")
def merged(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    merged_folder = tmp_path_factory.mktemp("merged")
    for path in folder.iterdir():
        (merged_folder / path.name).write_bytes(path.read_bytes())
    for page in procedure_pages():
        reading = read_procedure(page.body, ExtractHints(url=page.url, media_type=page.media_type))
        for procedure in procedures_from(reading, page.url):
            (merged_folder / f"{procedure.document['id']}.json").write_text(
                json.dumps(procedure.document), encoding="utf-8"
            )
    return merged_folder


def test_p30_every_name_finds_its_own_file_among_curated_ones(merged: Path):
    ours = [stem for stem, _ in unfindable_documents(merged) if stem not in CURATED]
    assert ours == []


def test_p1_curated_files_answer_as_before(folder: Path, merged: Path):
    for query, expected in QUERIES.items():
        before, after = (KeywordRetriever(place).retrieve(query) for place in (folder, merged))
        assert before is not None
        assert after is not None
        assert (before.tramite, after.tramite) == (expected, expected)


def test_p20_keywords_are_long_enough_no_fragments_and_no_accent_twins(merged: Path):
    for path in merged.iterdir():
        document = json.loads(path.read_bytes())
        if path.stem in CURATED:
            continue
        words = document["keywords"]
        assert len(words) >= 3
        assert min(map(len, words)) >= SHORTEST_KEYWORD
        assert len({fold_for_matching(word) for word in words}) == len(words)
        assert not [word for word in words if word.isalpha() and is_fragment(word)]
        assert document["id"] in words


def test_p29_an_unrelated_query_retrieves_nothing(merged: Path):
    assert KeywordRetriever(merged).retrieve("xyzzy") is None
    answer = KeywordRetriever(merged).retrieve("quiero el carnet de conducir", "es")
    assert answer is not None
    assert answer.datos["nombre"] == "Renovación del permiso de conducción"
    assert answer.chunks_used == ()


def test_p24_procedures_are_filtered_by_territory_organism_kind_channel_and_language(merged: Path):
    assert {document["idioma"] for _, document in select_documents(merged, territory="marusia")} == {"gl"}
    assert len(select_documents(merged, organism="inmu")) == 6
    assert all(
        "certificado" in document["tags"] for _, document in select_documents(merged, kind="certificado")
    )
    assert {document["canal"] for _, document in select_documents(merged, channel="electronico")} == {
        "electronico"
    }
    assert len(select_documents(merged, language="eu")) == 5


def test_fragments_of_common_words_are_recognised():
    assert is_fragment("renta")
    assert not is_fragment("empadronamiento")


@given(st.text(min_size=5, max_size=60), st.text(max_size=30))
def test_any_name_matches_its_own_keywords(name: str, organism: str):
    # The matcher lowers the case before it decomposes, so a letter like "𝕊" becomes a capital that it cannot match again.
    assume(fold_for_matching(fold_for_matching(name)) == fold_for_matching(name))
    words = keywords_for(name, (), organism, "", "local-a-b")
    assert all(len(word) >= SHORTEST_KEYWORD for word in words)
    matching = [word for word in words if word in fold_for_matching(name)]
    assert count_matches(name, matching) == len(matching)


def test_p30_a_name_within_another_name_still_finds_its_own_file(tmp_path: Path):
    names = (
        "Certificado de empadronamiento",
        "Certificado de empadronamiento histórico",
        "Copia del certificado de empadronamiento",
        "Empadronamiento",
    )
    for number, name in enumerate(names):
        document = {"nombre": name, "keywords": keywords_for(name, (), "", "", f"local-x-{number}")}
        (tmp_path / f"local-x-{number}.json").write_text(json.dumps(document), encoding="utf-8")
    assert unfindable_documents(tmp_path) == []


def test_p20_a_department_is_no_keyword_but_a_town_hall_is():
    for organism, matches in (
        ("Comisaría de Policía", 0),
        ("Mugikortasun Saila", 0),
        ("Ayuntamiento de Valdemora", 1),
        ("Departament de Cultura de la Generalitat", 1),
    ):
        words = keywords_for("Carta de invitación", (), organism, "", "local-x-carta")
        assert count_matches(f"como consigo el nie {organism}", words) == matches


def test_p20_a_word_and_its_stem_count_once():
    words = keywords_for("Matriculación de embarcaciones", (), "", "", "local-x-embarcaciones")
    assert count_matches("quiero saber algo de embarcaciones", words) == 1


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Perfil de licitaciones", "quiero solicitar el ingreso minimo vital"),
        ("Becas de formación agraria", "informacion sobre el ingreso minimo vital"),
        ("Ayudas para zonas rurales y un menor", "solicitar una ayuda para un menor en una zona rural"),
        ("Reconocimiento del grado de discapacidad", "como solicitar certificado de discapacidad"),
        ("Renovación del permiso de residencia", "necesito el permiso de residencia"),
    ],
)
def test_p20_keywords_do_not_answer_questions_about_something_else(name: str, query: str):
    assert count_matches(query, keywords_for(name, (), "", "", "local-x-y")) == 0


@pytest.mark.parametrize(
    "name", ["Cambio de domicilio en el padrón", "Volant d'empadronament", "Licencia de obra mayor"]
)
def test_p30_a_whole_name_outranks_curated_files_about_its_topic(name: str):
    rivals = ["domicilio", "padron", "padrón", "empadron", "empadronament", "mayor"]
    assert count_matches(name, keywords_for(name, (), "", "", "local-x-y")) > count_matches(name, rivals)
