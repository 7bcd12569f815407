"""Decisions that the contract leaves open, each shown on a page of its own."""

from headwater.model.outcomes import ExtractHints, Reading
from headwater_recipes.procedures.page.reader import read_procedure
from headwater_recipes.procedures.standalone import procedures_from

URL = "https://sede.muestra.example/tramites/uno"
BASE = "<h2>Requisitos</h2><ul><li>Ser mayor de edad.</li></ul><h2>Documentación</h2><ul><li>Documento de identidad.</li></ul>"


def read(main: str, *, language: str = "es", around: str = "") -> list[dict]:
    page = f'<!doctype html><html lang="{language}"><head><title>Bono de muestra - Ayuntamiento de Muestra</title></head><body><header>Ayuntamiento de Muestra</header><main><h1>Bono de muestra</h1><p>Descuento de muestra para quienes viven en el municipio desde hace un año.</p>{main}</main>{around}</body></html>'
    reading = read_procedure(page.encode(), ExtractHints(url=URL))
    assert isinstance(reading, Reading)
    return [procedure.document for procedure in procedures_from(reading, URL)]


def test_the_amount_of_an_aid_is_not_a_fee():
    (document,) = read(f"{BASE}<h2>Importe</h2><p>La ayuda es de 300 euros al mes.</p>")
    assert document["cuantias"] == {"importe": "La ayuda es de 300 euros al mes."}
    assert document["tasas"] is None


def test_an_amount_to_be_paid_is_a_fee_whatever_its_heading():
    (document,) = read(f"{BASE}<h2>Importe</h2><p>Debe pagar la tasa de 12 euros.</p>")
    assert document["tasas"] == "Debe pagar la tasa de 12 euros."
    assert "cuantias" not in document


def test_free_is_one_word_and_unknown_is_null():
    for words in (
        "Gratuito",
        "Este trámite es gratuito.",
        "No tiene coste.",
        "No hay ninguna tasa asociada.",
        "Exento",
        "No",
    ):
        (document,) = read(f"{BASE}<h2>Tasas</h2><p>{words}</p>")
        assert document["tasas"] == "Gratuito", words
    assert read(BASE)[0]["tasas"] is None
    (document,) = read(f"{BASE}<h2>Tasas</h2><p>El primero es gratuito; los demás cuestan 5 euros.</p>")
    assert "5 euros" in document["tasas"]


def test_p19_a_bilingual_page_returns_its_dominant_language_and_names_both():
    catalan = (
        '<div lang="ca"><h2>Requisits</h2><ul><li>Cal que la persona interessada sigui major d\'edat i visqui al municipi.</li></ul><h2>Documentació</h2>'
        "<ul><li>El document d'identitat vigent de la persona que fa la sol·licitud.</li></ul></div>"
    )
    spanish = (
        "<h2>Requisitos</h2><ul><li>Es necesario que la persona interesada sea mayor de edad y que viva en el municipio desde hace más de un año.</li></ul><h2>Documentación</h2>"
        "<ul><li>El documento de identidad en vigor de la persona que presenta la solicitud y el recibo del último mes.</li></ul><h2>Cómo solicitarlo</h2><p>La solicitud se presenta en la sede electrónica del Ayuntamiento con certificado digital.</p>"
    )
    (document,) = read(spanish + catalan)
    assert document["idioma"] == "es"
    assert set(document["idiomas_disponibles"]) == {"es", "ca"}
    assert len(document["requisitos"]) == len(document["documentos_necesarios"]) == 1
    assert document["requisitos"][0].startswith("Es necesario")


def test_two_procedures_on_one_page_are_two_documents():
    procedure = "<h2>Alta en el servicio</h2><p>Para empezar a usar el servicio de muestra en casa.</p><h3>Requisitos</h3><p>Vivir aquí.</p><h3>Documentación</h3><p>Contrato de alquiler.</p>"
    two = "<h2>Baja del servicio</h2><p>Para dejar de usar el servicio de muestra en casa.</p><h3>Requisitos</h3><p>No deber nada.</p><h3>Documentación</h3><p>Último recibo.</p>"
    first, second = read(procedure + two)
    assert (first["nombre"], second["nombre"]) == ("Alta en el servicio", "Baja del servicio")
    assert (first["requisitos"], second["requisitos"]) == (["Vivir aquí."], ["No deber nada."])
    assert first["source_url"] == second["source_url"]
    assert first["id"] != second["id"]


def test_technical_requirements_privacy_comments_and_notes_are_ignored():
    noise = (
        "<h2>Requisitos técnicos</h2><p>Navegador reciente.</p><h2>Protección de datos</h2><p>Base legal: Ley Orgánica 3/2018.</p><h3>Destinatarios</h3><p>Nadie.</p>"
        "<p>(1) Salvo los menores.</p><div class='comentarios'><h3>Requisitos</h3><p>Luisa: no lo entiendo.</p></div>"
    )
    (document,) = read(BASE + noise)
    assert document["requisitos"] == ["Ser mayor de edad."]
    assert "base_legal" not in document
    assert "Navegador" not in str(document)
    assert "Luisa" not in str(document)


def test_p17_the_organism_is_read_from_the_frame_of_the_page_and_the_territory_from_the_organism():
    (document,) = read(BASE)
    assert document["organismo"] == "Ayuntamiento de Muestra"
    assert document["territorio"] == {"nivel": "local", "municipio": "muestra"}


def test_an_appointment_link_has_its_own_place():
    (document,) = read(
        f'{BASE}<h2>Cómo solicitarlo</h2><p>En la <a href="https://sede.muestra.example/t/1">sede electrónica</a> o con <a href="/cita">cita previa</a> en la oficina.</p>'
    )
    assert document["donde_solicitar"] == {
        "urls": ["https://sede.muestra.example/t/1"],
        "cita_previa_url": "https://sede.muestra.example/cita",
    }
    assert document["canal"] == "mixto"


def test_deadlines_are_sorted_by_what_their_sentences_say():
    (document,) = read(
        f"{BASE}<h2>Plazos</h2><p>Puede solicitarse todo el año. El plazo de resolución es de tres meses. La falta de respuesta tiene silencio negativo. Cabe recurso de alzada en un mes.</p>"
    )
    assert set(document["plazos"]) == {"solicitud", "resolucion", "silencio_administrativo", "recurso"}


def test_the_sentences_of_a_paragraph_about_terms_follow_the_order_of_a_procedure():
    """Where no word tells the terms apart, the later one is that of the decision."""
    for paragraph, terms in (
        (
            "Del 3 al 28 de noviembre. El sorteo se celebra el 12 de diciembre en el salón de plenos.",
            {
                "solicitud": "Del 3 al 28 de noviembre.",
                "resolucion": "El sorteo se celebra el 12 de diciembre en el salón de plenos.",
            },
        ),
        (
            "Escríbanos tres meses antes de la fecha. Tendrá noticias nuestras en quince días. Si no le decimos nada, entienda que se ha concedido.",
            {
                "solicitud": "Escríbanos tres meses antes de la fecha.",
                "resolucion": "Tendrá noticias nuestras en quince días.",
                "silencio_administrativo": "Si no le decimos nada, entienda que se ha concedido.",
            },
        ),
    ):
        (document,) = read(f"{BASE}<h2>Plazos</h2><p>{paragraph}</p>")
        assert document["plazos"] == terms


def test_a_term_with_a_name_of_its_own_before_a_colon_has_that_key():
    (document,) = read(
        f"{BASE}<h2>Plazos</h2><p>Del 2 de noviembre al 18 de diciembre. Justificación: hasta el 30 de octubre. ¡Mucha suerte a todos!</p>"
    )
    assert document["plazos"] == {
        "solicitud": "Del 2 de noviembre al 18 de diciembre.",
        "justificacion": "hasta el 30 de octubre.",
    }


def test_p16_text_without_a_field_is_kept():
    (document,) = read(f"{BASE}<h2>Historia del bono</h2><p>Nació en 1990 por acuerdo del pleno.</p>")
    assert document["datos_adicionales"] == {"Historia del bono": "Nació en 1990 por acuerdo del pleno."}


def test_nothing_is_invented():
    (document,) = read(BASE)
    for name in (
        "plazos",
        "cuantias",
        "base_legal",
        "como_solicitar",
        "donde_solicitar",
        "telefono",
        "canal",
        "datos_importantes",
    ):
        assert name not in document


def test_every_field_has_its_position_in_the_text():
    page = f"<html><body><h1>Bono de muestra</h1><p>Descuento de muestra para quienes viven en el municipio.</p>{BASE}<h2>Tasas</h2><p>12 euros.</p></body></html>"
    reading = read_procedure(page.encode(), ExtractHints(url=URL))
    (procedure,) = procedures_from(reading, URL)
    text = reading.text
    span_texts = {
        name: " ".join(text[start:end] for start, end in spans) for name, spans in procedure.spans.items()
    }
    assert "Ser mayor de edad." in span_texts["requisitos"]
    assert "Documento de identidad." in span_texts["documentos_necesarios"]
    assert span_texts["tasas"] == "12 euros."
    assert span_texts["nombre"] == "# Bono de muestra"


def test_pages_without_requirements_are_not_procedures():
    assert (
        read(
            "<h2>Fechas</h2><p>Del 1 al 3 de mayo.</p><h2>Precio</h2><p>Entrada libre.</p><h2>Lugar</h2><p>Plaza Mayor.</p>"
        )
        == []
    )


def test_listings_and_events_are_not_procedures():
    listing = f"<html><body><h1>Resultados de la búsqueda</h1>{BASE}</body></html>"
    reading = read_procedure(listing.encode(), ExtractHints(url=URL))
    assert procedures_from(reading, URL) == []
    course = "<html><body><h1>Curso de cerámica</h1><p>Para aprender a trabajar el barro en el centro cívico.</p><h2>Fechas</h2><p>Octubre.</p><h2>Precio</h2><p>45 euros.</p><h2>Destinatarios</h2><p>Mayores de 16 años.</p></body></html>"
    reading = read_procedure(course.encode(), ExtractHints(url=URL))
    assert procedures_from(reading, URL) == []


def test_p18_mojibake_is_repaired_in_a_procedure():
    page = f"<html><head><meta charset='utf-8'></head><body><h1>Bono de muestra</h1><p>Descuento para quienes viven en el municipio.</p>{BASE}<h2>Plazo</h2><p>MÃ­nimo tres dÃ­as en EspaÃ±a.</p></body></html>"
    (document,) = [
        procedure.document
        for procedure in procedures_from(read_procedure(page.encode(), ExtractHints(url=URL)), URL)
    ]
    assert document["plazos"] == {"solicitud": "Mínimo tres días en España."}


def test_the_title_of_a_page_is_its_name_whatever_its_words():
    for name in (
        "Tasa de recogida de basuras",
        "Documento de identidad municipal",
        "Procedimiento de queja",
        "Solicitud de plaza",
    ):
        page = f"<html><body><h1>{name}</h1><p>Trámite de muestra para quienes viven en el municipio.</p>{BASE}</body></html>"
        (procedure,) = procedures_from(read_procedure(page.encode(), ExtractHints(url=URL)), URL)
        assert procedure.document["nombre"] == name


def test_hostile_nesting_is_survived():
    reading = read_procedure(
        b"<html><body>" + b"<div>" * 5000 + b"<h1>Requisitos</h1><p>x</p>", ExtractHints(url=URL)
    )
    assert not isinstance(reading, Reading) or procedures_from(reading, URL) == []


def test_hostile_words_are_read_in_reasonable_time():
    """A pattern with backtracking would never finish on these; a test that hangs fails."""
    texts = (
        "Ayuntamiento " + "de la " * 3000,
        "Ministerio " + "De La, " * 3000,
        "x: " * 5000,
        "a " * 20000,
        "(" * 5000,
        "1. " * 5000,
        "Ley 1/2; " * 3000,
        "No hay " * 3000,
    )
    for text in texts:
        page = f"<html><body><h1>Bono de muestra</h1><h2>{text[:3000]}</h2><p>{text}</p>{BASE}<h2>Tasas</h2><p>{text}</p><h2>Normativa</h2><p>{text}</p><h2>Plazos</h2><p>{text}</p><h2>Contacto</h2><p>{text}</p></body></html>"
        (procedure,) = procedures_from(read_procedure(page.encode(), ExtractHints(url=URL)), URL)
        assert procedure.document["nombre"] == "Bono de muestra"


def test_sentences_about_requirements_are_entries_if_half_of_them_oblige():
    main = BASE.replace(
        "<ul><li>Ser mayor de edad.</li></ul>",
        "<p>Hay que vivir en el municipio. La finca no mide más de una hectárea.</p>",
    )
    (document,) = read(main)
    assert document["requisitos"] == [
        "Hay que vivir en el municipio.",
        "La finca no mide más de una hectárea.",
    ]


def test_a_paragraph_that_mostly_tells_stays_one_requirement():
    paragraph = "La ayuda es para familias del municipio. Empezó en 2019. Cada año la piden unas cien. Hay que vivir aquí."
    (document,) = read(BASE.replace("<ul><li>Ser mayor de edad.</li></ul>", f"<p>{paragraph}</p>"))
    assert document["requisitos"] == [paragraph]


def test_an_amount_ends_with_the_last_sentence_that_names_one():
    (document,) = read(
        f"{BASE}<h2>Cuantía de la ayuda</h2><p>La ayuda es de 300 euros al mes. Llega por transferencia el día de la fiesta.</p>"
    )
    assert document["cuantias"] == {"importe": "La ayuda es de 300 euros al mes."}
