"""Word processor files, mail, gazettes, payloads and forms: all of their content is read, and nothing else."""

import pickle
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pure.test_extract_samples import (
    BODY,
    BOE,
    DOCX_BODY,
    EML,
    ODF,
    ODT_BODY,
    RTF,
    make_docx,
    make_odt,
    make_zip,
    paragraph,
    samples,
)

from headwater.extract.blocks import (
    Heading,
    ListItem,
    Paragraph,
    Table,
    blocks_to_markdown,
    blocks_to_plain_text,
)
from headwater.extract.field_maps import JsonFields
from headwater.extract.html.forms import read_forms
from headwater.extract.html.fragment import FragmentReader
from headwater.extract.mail import read_mail
from headwater.extract.office.docx import read_docx
from headwater.extract.office.odt import read_odt
from headwater.extract.plain_text import read_markdown, read_plain, strip_markdown
from headwater.extract.reader import READERS, ProfileReader, read_any
from headwater.extract.rtf.reader import read_rtf
from headwater.extract.sandbox.extractor_by_name import ExtractorByName
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.extract.sandboxed_readers import ALIASES, READABLE_TYPES, readers_by_media_type
from headwater.extract.xml.reader import XmlFields, read_xml
from headwater.model.errors import Refused
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.letters import normalise_text
from headwater_recipes.procedures.page.reader import read_procedure

NONE = ExtractHints()


def read(reading: Reading | Unreadable) -> Reading:
    assert isinstance(reading, Reading), reading
    return reading


def test_p14_docx_keeps_headings_lists_and_tables() -> None:
    reading = read(read_docx(make_docx(DOCX_BODY), NONE))
    assert reading.text == (
        f"# Scope\n\n{BODY}\n\n1. First duty\n2. Second duty\n\nkept\n\n"
        "| Group | Fee |\n| --- | --- |\n| Alpha | 12.50 |"
    )
    assert reading.plain.splitlines()[0] == "Scope"
    assert (reading.title, reading.authors, reading.keywords) == (
        "Harbour dues",
        ("Ilse Brandt",),
        ("dues", "harbour"),
    )
    assert reading.published == datetime(2026, 11, 13, 8, tzinfo=UTC)
    assert reading.attributes["headings"] == [{"level": 1, "text": "Scope"}]
    assert "struck" not in reading.text


def test_docx_styles_may_be_based_on_one_another_even_in_circles() -> None:
    circle = (
        '<w:styles xmlns:w="w"><w:style w:styleId="A"><w:basedOn w:val="B"/></w:style>'
        '<w:style w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>'
    )
    body = paragraph("One", '<w:pStyle w:val="A"/>') + paragraph("Two", '<w:pStyle w:val="Heading2"/>')
    assert read(read_docx(make_docx(body, word__styles=circle), NONE)).text == "One\n\n## Two"
    inherited = read(read_docx(make_docx(paragraph("Mine", '<w:pStyle w:val="Mine"/>')), NONE))
    assert inherited.text == "# Mine"


def test_docx_reads_notes_text_boxes_and_links() -> None:
    box = "<w:p><w:r><w:drawing><w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p></w:txbxContent></w:drawing>"
    notes = (
        '<w:footnotes xmlns:w="w"><w:footnote w:type="separator"><w:p><w:r><w:t>no</w:t></w:r></w:p></w:footnote>'
        "<w:footnote><w:p><w:r><w:t>Below</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    data = make_docx(box + "<w:t>Around</w:t></w:r></w:p>", word__footnotes=notes)
    assert read(read_docx(data, NONE)).text == "Around\n\nIn a box\n\nBelow"


def test_p14_odt_keeps_headings_lists_tables_and_notes() -> None:
    reading = read(read_odt(make_odt(ODT_BODY), NONE))
    assert reading.text == (
        f"## Scope\n\n{BODY} After it.\n\nA note below.\n\n- First duty\n\nwide   gap\nnext link\n\n"
        "| Group | Fee |\n| --- | --- |\n| Alpha |  |"
    )
    assert reading.links == ("https://north.example/",)
    assert (reading.title, reading.authors) == ("Harbour dues", ("Ilse Brandt",))


def test_odt_with_a_password_is_encrypted() -> None:
    manifest = (
        f"<manifest:manifest {ODF}><manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"
    )
    data = make_odt(ODT_BODY, **{"META-INF__manifest": manifest + "</manifest:manifest>"})
    assert read_odt(data, NONE) == Unreadable("encrypted")


def test_rtf_keeps_headings_tables_code_pages_and_metadata() -> None:
    reading = read(read_rtf(RTF, NONE))
    assert reading.text == (
        f"# Scope\n\n{BODY}\n\nПривет\n\n| Group | Fee |\n| --- | --- |\n| Alpha | 12.50 |\n\nThe end"
    )
    assert (reading.title, reading.authors) == ("Harbour dues", ("Ilse Brandt",))
    assert reading.published == datetime(2026, 11, 13, 8, 5, tzinfo=UTC)


def test_rtf_surrogate_pairs_are_joined_and_binary_data_is_skipped() -> None:
    data = rb"{\rtf1\uc1 A \u-10179?\u-8704? {\*\unknown gone}{\v hidden}\bin5 {{{{{B\par}"
    assert read(read_rtf(data, NONE)).text == "A 😀 B"


def test_mail_headers_become_metadata_and_attachments_are_listed() -> None:
    reading = read(read_mail(EML, NONE))
    assert reading.text.startswith("The council of Northgate approved the budget. Señor Ibáñez")
    assert reading.title == "Harbour dues – notice"
    assert reading.authors == ("Ilse Ibáñez",)
    assert reading.published is not None
    assert reading.published.isoformat() == "2026-11-13T08:41:00+01:00"
    assert reading.attributes["attachments"][0]["name"] == ".._dues.pdf"
    assert reading.attributes["mail"]["message-id"] == "<1@north.example>"


def test_mail_with_only_an_html_part_is_read_as_a_page() -> None:
    page = (
        "<html><body><script>alert(1)</script><p>"
        + "A sentence of the page with several words. " * 20
        + "</p>"
    )
    data = f"From: a@b.example\r\nSubject: S\r\nDate: x\r\nContent-Type: text/html\r\n\r\n{page}</body></html>".encode()
    reading = read(read_mail(data, NONE))
    assert "A sentence of the page" in reading.text
    assert "alert" not in reading.text
    assert reading.published is None


def test_p14_gazette_articles_become_headings_and_references_are_found() -> None:
    reading = read(read_procedure(BOE, NONE))
    assert reading.text == (
        "## CAPÍTULO I\n\n### Artículo 1. Objeto.\n\nEste real decreto regula un subsidio de ejemplo.\n\n"
        "| Grupo | Importe |\n| --- | --- |\n| A | 480 € |"
    )
    assert reading.title == "Real Decreto 901/2026, por el que se regula un subsidio de ejemplo."
    assert reading.publisher == "Ministerio de Ejemplo"
    assert reading.published == datetime(2026, 11, 13, tzinfo=UTC)
    facts = reading.attributes["boe"]
    assert facts["url_pdf"] == "https://www.boe.es/boe/dias/2026/11/13/pdfs/BOE-A-2026-99001.pdf"
    assert facts["anteriores"][0] == {
        "referencia": "BOE-A-2015-11724",
        "palabra": "CITA",
        "texto": "texto refundido",
    }
    assert read_procedure(BOE, ExtractHints(media_type="text/html")) == reading


def test_gazette_of_consolidated_blocks_takes_the_newest_version() -> None:
    data = (
        b"<response><status><code>200</code></status><data><texto><bloque id='a1'>"
        b"<version fecha_vigencia='20200101'><p class='articulo'>Art. 1</p><p>Old.</p></version>"
        b"<version fecha_vigencia='20260101'><p class='articulo'>Art. 1</p><p>New.</p></version>"
        b"</bloque></texto></data></response>"
    )
    reading = read(read_procedure(data, NONE))
    assert reading.text == "## Art. 1\n\nNew."
    assert reading.attributes["boe"] == {"in_force_from": "20260101"}


def test_xml_is_read_with_and_without_a_field_map() -> None:
    data = b"<r><head><t>Title</t><d>2026-11-13T08:00:00+01:00</d></head><p>One.</p><p>Two <b>x</b>.</p><id>7</id></r>"
    reader = XmlFields({"title": "head/t", "text": ".//p", "published": "string(head/d)", "number": "id"})
    reading = read(reader(data, NONE))
    assert (reading.title, reading.text) == ("Title", "One.\n\nTwo x.")
    assert reading.published is not None
    assert reading.published.isoformat() == "2026-11-13T08:00:00+01:00"
    assert reading.attributes == {"number": "7"}
    assert reading.origins["title"] == "xml head/t"
    assert read(read_xml(data, NONE)).text.split("\n\n")[2:4] == ["One.", "Two x."]
    with pytest.raises(Refused, match="bad_field_map"):
        XmlFields({"text": "///"})(data, NONE)


def test_json_is_read_by_a_field_map() -> None:
    data = b'{"data": {"items": [{"body": "First", "tags": [{"n": "a"}, {"n": "b"}]}, {"body": "Second"}]}, "id": 7}'
    reader = JsonFields({"text": "data.items.body", "keywords": "data.items[0].tags[*].n", "number": "id"})
    reading = read(reader(data, NONE))
    assert (reading.text, reading.keywords, reading.attributes) == (
        "First\n\nSecond",
        ("a", "b"),
        {"number": "7"},
    )
    assert JsonFields({"text": "nothing"})(data, NONE) == Unreadable(
        "no_text", "the path of the text has no value"
    )
    deep = JsonFields({"text": "a"})(b"[" * 100_000, NONE)
    assert isinstance(deep, Unreadable)
    assert deep.reason == "malformed"


def test_json_text_that_is_markup_is_read_as_a_page() -> None:
    words = "A sentence of the page with several words. " * 20
    reading = read(
        JsonFields({"text": "b"})(f'{{"b": "<p>{words}</p><script>bad()</script>"}}'.encode(), NONE)
    )
    assert "A sentence" in reading.text
    assert "bad()" not in reading.text
    assert "<p>" not in reading.text


FORM = """<form action="/solicitud" method="POST"><fieldset><legend>Datos</legend>
<label for="n">Nombre *</label><input id="n" name="nombre" placeholder="Su nombre">
<label class="campo-obligatorio" for="d">DNI</label><input id="d" name="dni">
<label>Provincia <select name="p" required><option value="28">Madrid</option><option>Lugo</option></select></label>
<input type="email" name="c" aria-label="Correo (obligatorio)"><textarea name="t" title="Texto"></textarea>
<input type="hidden" name="token" value="s"><input type="submit"></fieldset>
<fieldset><legend>Turno</legend><input type="radio" name="r" value="1" id="r1"><label for="r1">Mañana</label>
<input type="radio" name="r" value="2" id="r2"><label for="r2">Tarde</label></fieldset></form><form></form>"""


def test_p14_forms_become_data() -> None:
    (form,) = read_forms(FORM)
    assert (form["action"], form["method"], form["legend"]) == ("/solicitud", "post", "Datos")
    fields = {field["name"]: field for field in form["fields"]}
    assert list(fields) == ["nombre", "dni", "p", "c", "t", "r"]
    assert [name for name, field in fields.items() if field["required"]] == ["nombre", "dni", "p", "c"]
    assert fields["nombre"]["label"] == "Nombre"
    assert fields["p"]["label"] == "Provincia"
    assert fields["p"]["options"] == [{"value": "28", "label": "Madrid"}, {"value": "Lugo", "label": "Lugo"}]
    assert fields["r"]["label"] == "Turno"
    assert [option["label"] for option in fields["r"]["options"]] == ["Mañana", "Tarde"]


def test_archives_programs_and_payloads_are_refused_by_name() -> None:
    refused = {
        "application/zip": make_zip({"a": "b"}),
        "application/gzip": b"\x1f\x8b\x08\x00rest",
        "application/x-executable": b"\x7fELF\x02",
        "application/octet-stream": bytes(range(200)),
        "image/png": b"\x89PNG\r\n\x1a\n",
    }
    for kind, data in refused.items():
        assert read_any(data, NONE) == Unreadable("unsupported", kind)
    payload = read_any(b'{"a": 1}', NONE)
    assert isinstance(payload, Unreadable)
    assert "field map" in payload.detail
    assert read_any(b" \n", NONE) == Unreadable("no_text", "nothing but white space")


def test_every_readable_type_has_an_entry_and_all_others_share_one() -> None:
    readers = readers_by_media_type()
    assert set(readers) == {"*", *READABLE_TYPES, *ALIASES}
    assert set(READABLE_TYPES) == set(READERS)
    (reader,) = set(readers.values())
    assert _imported_by_a_child(reader) is read_any
    fragment_reader = readers_by_media_type(fragments=True)["text/html"]
    assert _imported_by_a_child(fragment_reader) == FragmentReader(read_any)
    selectors = readers_by_media_type(profile="selectors")["text/html"]
    assert _imported_by_a_child(selectors) == ProfileReader("selectors")


def test_an_extractor_by_name_reads_like_the_one_it_stands_for() -> None:
    reader = ExtractorByName(
        "headwater.extract.html.fragment:FragmentReader",
        (ExtractorByName("headwater.extract.reader:read_any"),),
    )
    for data in (b"<p>A short entry about the ferry.</p>", b"plain words"):
        assert reader(data, NONE) == FragmentReader(read_any)(data, NONE)
    with pytest.raises(AttributeError):
        pickle.loads(pickle.dumps(ExtractorByName("headwater.extract.reader:read_nothing")))


def _imported_by_a_child(reader: Sandboxed) -> object:
    return pickle.loads(pickle.dumps(reader.extract))


def test_p18_plain_text_is_normalised_and_its_charset_detected() -> None:
    reading = read(read_plain("Cafe\u0301 \u00a0 del\u200b puerto\r\n\r\n\r\n\r\nfin\x00".encode(), NONE))
    assert reading.text == "Café   del puerto\n\nfin"
    assert read(read_plain("Señor Ibáñez".encode("cp1252"), NONE)).text == "Señor Ibáñez"
    broken = "SeÃ±or IbÃ¡Ã±ez leyÃ³ la notificaciÃ³n".encode()
    assert read(read_plain(broken, NONE)).text == "Señor Ibáñez leyó la notificación"


def test_markdown_front_matter_becomes_metadata() -> None:
    data = b"---\ntitle: Harbour dues\nauthor: Ilse Brandt\ndate: 2026-11-13\n---\n# Head\n\nSome [link](https://x.example).\n"
    reading = read(read_markdown(data, NONE))
    assert (reading.title, reading.authors, reading.text) == (
        "Harbour dues",
        ("Ilse Brandt",),
        "# Head\n\nSome [link](https://x.example).",
    )
    assert reading.plain == "Head\nSome link."
    assert read(read_markdown(b"# Head\n\ntext", NONE)).title == "Head"


letters = st.text(st.characters(codec="utf-8"), max_size=60)
blocks = st.lists(
    st.one_of(
        st.builds(Heading, letters, st.integers(0, 9)),
        st.builds(Paragraph, letters),
        st.builds(ListItem, letters, st.integers(0, 12)),
        st.builds(ListItem, letters, st.integers(0, 2), st.just("3.")),
        st.builds(
            Table, st.lists(st.lists(letters, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)
        ),
    ),
    max_size=6,
)


def words(text: str) -> list[str]:
    """Letters and numbers; punctuation may differ."""
    return "".join(letter if letter.isalnum() else " " for letter in text).split()


@settings(max_examples=200, deadline=None)
@given(blocks)
def test_reading_the_rendered_text_again_loses_nothing(document_blocks: list) -> None:
    text = blocks_to_markdown(document_blocks)
    assert words(text) == words(blocks_to_plain_text(document_blocks))
    if text.strip() and not text.startswith("---"):
        second_reading = read(read_markdown(text.encode(), NONE))
        assert normalise_text(second_reading.text) == normalise_text(text)
        assert words(strip_markdown(text)) == words(blocks_to_plain_text(document_blocks))


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_normalised_text_stays_the_same_when_normalised_again(text: str) -> None:
    import unicodedata

    once = normalise_text(text)
    assert normalise_text(once) == once
    assert unicodedata.is_normalized("NFC", once)
    once.encode()


@pytest.mark.parametrize("kind", sorted(samples()))
def test_a_sample_is_read_alike_whatever_type_is_claimed(kind: str) -> None:
    data = samples()[kind]
    first, second = (
        read_any(data, NONE),
        read_any(bytes(data), ExtractHints(media_type="application/octet-stream")),
    )
    assert first == second
    assert len(read(first).text) > 60
