"""Pages that look like procedures and are something else, and procedures with the words of those."""

import pytest
from tests.pure.test_procedures_decisions import read

from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.detection import NEWS_PATH, other_content
from headwater_recipes.procedures.normalise import parts_by_rules
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.standalone import procedures_from

PAGE = "https://www.muestra.example/pagina/uno"

PAPERS = "<h2>Documentación</h2><ul><li>Declaración responsable.</li><li>Copia del documento de identidad.</li></ul>"
PEOPLE = "<h2>Requisitos</h2><ul><li>Tener más de 16 años.</li></ul>"
TERM = "<h2>Plazo</h2><p>Veinte días desde la publicación del anuncio.</p>"
OTHER_CONTENT = {
    "cookie policy": "<p>Usamos cookies propias y cookies de terceros. Las cookies técnicas no se pueden rechazar.</p><h2>Requisitos</h2><p>Aceptar las cookies.</p><h2>Plazo</h2><p>Las cookies duran un año.</p><h2>Cómo rechazarlas</h2><p>Borre las cookies del navegador.</p>",
    "tender": f"<p>Licitación del contrato de suministro de sillas.</p><h2>Presupuesto base</h2><p>12.000 euros.</p>{PEOPLE}{PAPERS}{TERM}<h2>Criterios de adjudicación</h2><p>El precio.</p>",
    "tender in Catalan": f"<p>Licitació del servei de neteja. Objecte del contracte: neteja d'escoles.</p><h2>Pressupost base</h2><p>90.000 euros.</p><h2>Requisits</h2><p>Empreses del sector.</p>{PAPERS}<h2>Termini</h2><p>Fins al 3 de maig.</p><h2>Criteris d'adjudicació</h2><p>El preu.</p>",
    "job offer": f"<p>Buscamos una persona para conserjería, con contrato laboral a jornada completa.</p>{PEOPLE}{PAPERS}{TERM}<h2>Retribución</h2><p>1.300 euros.</p><h2>Pruebas</h2><p>Entrevista personal.</p>",
    "job offer in Basque": "<p>Udalak administrari bat hartuko du aldi baterako, lanaldi osoan.</p><h2>Baldintzak</h2><p>Titulua izatea.</p><h2>Agiriak</h2><ul><li>Curriculuma.</li></ul><h2>Epea</h2><p>Hamar egun.</p><h2>Soldata</h2><p>24.000 euro urtean.</p>",
    "table of contents": "<h2>Requisitos</h2><p>Capítulo 1 ........ 4</p><h2>Documentación</h2><p>Capítulo 2 ........ 9</p><h2>Plazos</h2><p>Capítulo 3 ........ 15</p>",
    "press release": f"<p>La alcaldesa ha presentado hoy las ayudas. «Llegarán a mil familias», ha dicho.</p>{PEOPLE}{PAPERS}{TERM}<p>Gabinete de prensa.</p>",
    "press release in English": "<p>The mayor said on Monday that the town will help families. “We want to reach everyone”, she explained.</p><h2>Who can apply</h2><p>Families of the town.</p><h2>Deadline</h2><p>In May.</p><h2>Documents</h2><p>An identity card.</p>",
}
UNNAMED_CONTENT = {
    "help with the screen": "<h1>Moverse por estas pantallas</h1><h2>¿Qué necesito?</h2><p>Un navegador al día y el bloqueador de ventanas desactivado.</p><h2>¿Cómo se hace?</h2><p>Pulse el botón de la lupa, arriba a la derecha, y escriba una palabra.</p><h2>¿Por qué no se ve el menú?</h2><p>Amplíe la ventana o recargue la página.</p>",
    "a feast": "<h1>La noche de las hogueras</h1><h2>¿Qué necesito?</h2><p>Ganas de bailar y calzado cómodo.</p><h2>¿Cuándo es?</h2><p>El sábado 21 de junio, desde las diez de la noche, con orquesta y chocolate.</p><h2>¿Cómo llegar?</h2><p>En el autobús gratuito que sale de la plaza.</p>",
}
"""Neither title nor words are on any list of the rules."""
OTHER_TITLES = {
    "help with the site": (
        "Cómo usar la sede electrónica",
        "Nola erabili egoitza elektronikoa",
        "How to use this site",
    ),
    "norm": ("Ordenanza reguladora de la tenencia de animales", "Reglament general de cementiris"),
    "public notice": (
        "Consulta pública previa sobre el ruido",
        "Aprovació inicial del pressupost",
        "Edicto de cobranza",
    ),
    "report": (
        "Annual report of the registry",
        "Memoria de actividades de 2025",
        "Presupuestos municipales 2026",
    ),
    "outcome": (
        "Fallo del concurso de cuentos",
        "Ajuts a entitats concedits",
        "Lista definitiva de admitidos",
    ),
    "outing": ("Ruta de las ermitas", "Museo del Pan"),
}
ASKING = "## Requisitos\n\nPresentar una solicitud.\n\n## Documentación\n\nUna foto."
PROCEDURES = {
    "aid for employers": f"<h2>Beneficiarios</h2><p>Empresas que firmen un contrato indefinido a jornada completa con una persona en paro.</p>{PAPERS}{TERM}<h2>Cuantía de la ayuda</h2><p>El 20 % del salario de cada puesto de trabajo.</p>",
    "register of bidders": f"<h2>Objeto</h2><p>Inscripción de las empresas que quieran participar en licitaciones.</p>{PEOPLE}{PAPERS}{TERM}",
    "allotted places": f"<h2>Objeto</h2><p>Reserva de plazas en las escuelas infantiles.</p>{PEOPLE}{PAPERS}{TERM}<h2>Criterios de adjudicación</h2><p>La renta y el número de hijos.</p>",
    "data of a permit": f"{PEOPLE}{PAPERS}{TERM}<p>Este sitio usa cookies.</p><h2>Protección de datos</h2><p>Responsable: el Ayuntamiento.</p>",
}


@pytest.mark.parametrize("kind", OTHER_CONTENT)
def test_p6_other_content_is_no_procedure(kind: str):
    assert read(OTHER_CONTENT[kind]) == []


@pytest.mark.parametrize("kind", UNNAMED_CONTENT)
def test_p6_a_page_that_as_a_whole_looks_like_something_else_is_no_procedure(kind: str):
    page = f"<html><body><main>{UNNAMED_CONTENT[kind]}</main></body></html>"
    reading = read_procedure(page.encode(), ExtractHints(url=PAGE))
    assert isinstance(reading, Reading)
    assert procedures_from(reading, PAGE) == []


@pytest.mark.parametrize("kind", PROCEDURES)
def test_p6_procedures_may_use_the_words_of_other_content(kind: str):
    assert len(read(PROCEDURES[kind])) == 1


def test_p6_titles_say_what_a_page_is_instead_of_a_procedure():
    kinds = {title: kind for kind, titles in OTHER_TITLES.items() for title in titles}
    assert {title: other_content(parts_by_rules(ASKING), title, "") for title in kinds} == kinds
    for title in (
        "Solicitud de acceso a la información pública",
        "Informe de vida laboral",
        "Ayudas para rutas escolares",
    ):
        assert other_content(parts_by_rules(ASKING), title, "") == ""


def test_p6_a_page_that_says_how_to_apply_is_a_procedure_whatever_its_title_begins_with():
    applying = f"{ASKING}\n\n## Cómo solicitarlo\n\nEn el registro.\n\n## Plazo\n\nUn mes."
    for title in (
        "Lista de espera para plazas de garaje",
        "Becas: renovación de becas concedidas",
        "Estatutos de una asociación: inscribir una modificación",
        "Consulta previa de viabilidad urbanística",
    ):
        assert other_content(parts_by_rules(applying), title, "") == ""
        assert other_content(parts_by_rules(ASKING), title, "") != ""


def test_news_are_recognised_by_whole_parts_of_their_address():
    assert NEWS_PATH.search("/es/noticias/2026/ayudas/")
    assert not NEWS_PATH.search("/tramites/noticiasas/")
    assert not NEWS_PATH.search("/ayuda-innovas/")
