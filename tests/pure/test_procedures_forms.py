"""Fields that are recognised by the form of their text, whatever the labels of a page are called."""

import pytest
from tests.pure.test_procedures_decisions import BASE, read

from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.fields.channels import via_of
from headwater_recipes.procedures.fields.deadlines import deadlines
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.registry.territory import in_nominative, territory_of
from headwater_recipes.procedures.sections.by_form import is_address, is_body, says_free
from headwater_recipes.procedures.sections.parts import PagePart, lines_of
from headwater_recipes.procedures.standalone import procedures_from

URL = "https://sede.muestra.example/tramites/uno"


def read_one(main: str) -> dict:
    (document,) = read(main)
    return document


def read_site(header: str, main: str, title: str = "Bono de muestra") -> list[dict]:
    """The procedures of a page on a site whose owner only its header may name."""
    page = f"<html lang=es><head><title>{title}</title></head><body><header>{header}</header><main><h1>Bono de muestra</h1>{main}</main></body></html>"
    reading = read_procedure(page.encode(), ExtractHints(url=URL, media_type="text/html"))
    assert isinstance(reading, Reading)
    return [procedure.document for procedure in procedures_from(reading, URL)]


def test_p17_a_law_that_links_into_the_electronic_office_is_a_law():
    page = read_site(
        "", f'{BASE}<h2>Normativa</h2><ul><li><a href="/normas/1">Ley 1/2001, de 2 de mayo</a></li></ul>'
    )
    assert page[0]["base_legal"] == ["Ley 1/2001, de 2 de mayo"]


@pytest.mark.parametrize(
    ("lines", "documents"),
    [
        (
            "Plano de la parcela<br>Tres presupuestos distintos",
            ["Plano de la parcela", "Tres presupuestos distintos"],
        ),
        (
            "Plano de la parcela y<br>Tres presupuestos distintos",
            ["Plano de la parcela y Tres presupuestos distintos"],
        ),
        ("Plano de la parcela que<br>se va a vallar", ["Plano de la parcela que se va a vallar"]),
        (
            "Traiga consigo: una foto; el diploma del taller; la hoja firmada.",
            ["una foto", "el diploma del taller", "la hoja firmada"],
        ),
    ],
)
def test_p17_lines_of_a_paragraph_are_entries_unless_one_breaks_off(lines: str, documents: list[str]):
    page = read_one(
        f"<h2>Requisitos</h2><p>Ser mayor de edad.</p><h2>Documentación</h2><p>{lines}</p><h2>Plazo</h2><p>Un mes.</p>"
    )
    assert page["documentos_necesarios"] == documents


def test_p17_sentences_that_each_oblige_are_conditions_of_their_own():
    sentences = ["Hay que vivir aquí.", "También es necesario ser mayor.", "Por último, se exige un curso."]
    page = read_one(
        f"<h2>Requisitos</h2><p>{' '.join(sentences)}</p><h2>Documentación</h2><ul><li>DNI</li></ul>"
    )
    assert page["requisitos"] == sentences


def test_p17_help_below_a_list_of_conditions_is_no_condition():
    page = read_one(f"{BASE}<h2>Condiciones</h2><ul><li>Vivir aquí.</li></ul><p>Si tiene dudas, pásese.</p>")
    assert page["requisitos"] == ["Ser mayor de edad.", "Vivir aquí."]


@pytest.mark.parametrize("heading", ["Cómo llegar", "Adreça de l'oficina", "Los edificios"])
def test_p17_an_address_is_an_address_under_any_heading(heading: str):
    page = read_one(f"{BASE}<h2>{heading}</h2><p>Camino del Lavadero, 8, 39770 Muestra</p>")
    assert page["donde_solicitar"]["direcciones"] == ["Camino del Lavadero, 8, 39770 Muestra"]
    assert "plazos" not in page
    assert is_address("Herriko Enparantza, 3, 20249 Arrizabal")
    assert not is_address("Con 30 días de antelación, 2 meses como máximo.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Servicio de Recursos del Mar", True),
        ("La Concejalía de Comercio y Ferias", True),
        ("Ingurumen eta Nekazaritza Batzordea", True),
        ("Subdirectorate for Nautical Qualifications", True),
        ("Servicio gratuito para mayores de 65 años.", False),
        ("Oficina de lunes a viernes, de 9 a 14 horas.", False),
    ],
)
def test_p17_a_public_body_is_recognised_by_its_name(text: str, expected: bool):
    assert is_body(text) is expected


def test_p17_the_organism_comes_from_a_name_under_any_heading_or_from_the_header():
    (labelled,) = read_site("Mar abierto", f"{BASE}<h2>Los de aquí</h2><p>Servicio de Recursos del Mar</p>")
    assert labelled["organismo"] == "Servicio de Recursos del Mar"
    (named,) = read_site(
        "<p>Casa del Mar Abierto</p><a href=/>Inicio</a>", BASE, "Bono - Casa del Mar Abierto"
    )
    assert named["organismo"] == "Casa del Mar Abierto"


@pytest.mark.parametrize(
    "text", ["No le cobramos por ello.", "No us costarà res.", "Nada, no se paga ni un céntimo."]
)
def test_p17_nothing_to_pay_is_free_in_any_words(text: str):
    assert read_one(f"{BASE}<h2>De su bolsillo</h2><p>{text}</p>")["tasas"] == "Gratuito"
    assert not says_free(
        "no se paga hasta la entrega del carne y de la tarjeta que lo acredita ante la oficina"
    )


def test_p17_what_the_office_charges_is_a_fee():
    page = read_one(f"{BASE}<h2>Cuánto le cobramos</h2><p>25 euros, que se pagan en el cajero.</p>")
    assert page["tasas"] == "25 euros, que se pagan en el cajero."
    assert "cuantias" not in page


@pytest.mark.parametrize(
    ("silence", "decision"),
    [
        ("Si para entonces no le hemos escrito, entienda que no.", "Le respondemos en un mes."),
        (
            "If we stay silent after that, consider it turned down.",
            "Expect to hear from us within ninety days.",
        ),
        ("Pasado ese tempo sen noticias, non está concedida.", "Resolvémolo en trinta días."),
        ("Si no us diem res, vol dir que no ha prosperat.", "Us el donem en tres dies."),
        ("Ebazpenik ez badago, eskaera ezetsitzat joko da.", "Egun berean jakingo duzu emaitza."),
    ],
)
def test_p17_decision_and_silence_are_recognised_by_their_sentences(silence: str, decision: str):
    lines = tuple(lines_of(f"Del 2 al 30 de noviembre.\n{decision}\n{silence}"))
    section = PagePart(title="Plazos", level=2, label=Label("plazos", "solicitud"), lines=lines)
    assert deadlines([section]).value == {
        "solicitud": "Del 2 al 30 de noviembre.",
        "resolucion": decision,
        "silencio_administrativo": silence,
    }


@pytest.mark.parametrize(
    ("text", "via"),
    [
        ("Marque el 947 000 390 y pregunte por Reservas.", "telefono"),
        ("Reserve en el calendario de la web.", "online"),
        ("Acérquese cualquier martes.", "presencial"),
        ("Etorri Baratze Etxera asteazkenetan.", "presencial"),
        ("Post the bundle by registered mail.", "correo"),
        ("Enviau el dossier en paper a la nostra casa.", "correo"),
    ],
)
def test_p17_ways_to_apply_are_recognised_by_what_people_do(text: str, via: str):
    assert via_of(text) == via


def test_p17_sentences_about_different_ways_are_different_ways():
    page = read_one(
        f"{BASE}<h2>Cómo solicitarlo</h2><p>Mande el formulario desde la web. Acérquese el martes.</p>"
    )
    assert [way["via"] for way in page["como_solicitar"]] == ["online", "presencial"]


def test_p17_calling_is_a_way_next_to_other_ways():
    ways = "<h2>Internet</h2><p>En la carpeta ciudadana.</p><h2>Teléfono</h2><p>Llamando al 956 000 112 por la mañana.</p>"
    page = read_one(f"{BASE}<h2>Cómo se tramita</h2>{ways}")
    assert {way["via"] for way in page["como_solicitar"]} == {"online", "telefono"}


def test_p16_bold_lines_in_any_words_are_sections_of_the_same_rank():
    titles = {"Para que sirve": "Sen este permiso ninguén pode ter un can destes.", "Cousas que miramos": "Que teña 18 anos feitos."}  # fmt: skip
    more = {"Traia de casa": "Certificado de antecedentes", "Canto cobramos": "25 euros", "Onde estamos": "Na praza", "Quen manda": "Lei 50/1999, do 23 de decembro"}  # fmt: skip
    page = read_site(
        "Concello de Mostra",
        "".join(
            f"<p><strong>{title}</strong></p><p>{text}</p>" for title, text in {**titles, **more}.items()
        ),
    )
    assert page[0]["descripcion"] == titles["Para que sirve"]
    assert page[0]["base_legal"] == [more["Quen manda"]]


def test_p16_bold_bands_of_a_table_with_an_indent_are_labels_in_any_words():
    rows = {"El dossier ha de dur": "Vida laboral", "La nostra casa": "Carrer Gran, 1, 07001 Palma", "Ho empara": "Llei 4/1985, de 3 de maig"}  # fmt: skip
    table = "".join(
        f"<tr><td colspan=2><b>{label}</b></td></tr><tr><td>&nbsp;</td><td><p>{text}</p></td></tr>"
        for label, text in rows.items()
    )
    page = read_one(f"{BASE}<table>{table}</table>")
    assert page["base_legal"] == [rows["Ho empara"]]
    assert page["donde_solicitar"]["direcciones"] == [rows["La nostra casa"]]


def test_p16_a_second_column_does_not_belong_to_the_laws_above_it():
    page = read_one(
        f"{BASE}<h2>Normativa</h2><p>Ley 1/2001, de 2 de mayo</p><h3>De su bolsillo</h3><p>No le cobramos por ello.</p>"
    )
    assert page["base_legal"] == ["Ley 1/2001, de 2 de mayo"]
    assert page["tasas"] == "Gratuito"


def test_p16_a_description_ends_where_the_next_section_begins():
    page = read_site(
        "Ayuntamiento de Muestra",
        f"<h2>Lo que consigue</h2><p>Le habilita para comprar y aplicar productos.</p><h2>Sus datos, a salvo</h2><p>No compartimos lo que nos cuenta con nadie.</p>{BASE}",
    )
    assert page[0]["descripcion"] == "Le habilita para comprar y aplicar productos."


def test_p6_events_with_a_number_and_help_about_the_site_are_no_procedures():
    tickets = "<h2>Requisits</h2><ul><li>A partir de 5 anys.</li></ul><h2>Preu</h2><p>Tres euros.</p>"
    for title in ("XII Festival de Titelles", "Frequently asked questions about this website"):
        main = f"<h1>{title}</h1>{tickets}{'' if title.startswith('XII') else BASE}"
        page = f"<html lang=ca><head><title>{title}</title></head><body><main>{main}</main></body></html>"
        reading = read_procedure(page.encode(), ExtractHints(url=URL, media_type="text/html"))
        assert isinstance(reading, Reading)
        assert list(procedures_from(reading, URL)) == []


def test_p19_a_town_is_recognised_before_its_council_and_in_the_genitive():
    assert territory_of("Villarrubia del Tajuña · Ayuntamiento", "")["municipio"] == "villarrubia-del-tajuna"
    town = territory_of("Arrizabaleko Udala", "")
    assert in_nominative(town, "Herriko Enparantza, 3, 20249 Arrizabal")["municipio"] == "arrizabal"
    assert (
        in_nominative({"nivel": "local", "municipio": "lasarte"}, "20160 Lasarte")["municipio"] == "lasarte"
    )
