"""Small documents of every format, built byte by byte; each is recognised as its type."""

import io
import random
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from headwater.text.sniffing import sniff_media_type

WORDS = [
    "harbour", "ledger", "council", "river", "granite", "notice", "office", "quarter", "station", "valley",
    "market", "window", "paper", "signal", "engine", "filing", "review", "budget", "copper", "orchard",
]  # fmt: skip
BODY = (
    "The council of Northgate approved the budget. Señor Ibáñez read the notice aloud in the harbour office."
)


def sentence(seed: int, count: int = 12) -> str:
    chance = random.Random(seed)
    return " ".join(chance.choice(WORDS) for _ in range(count)).capitalize() + "."


@dataclass
class PdfSheet:
    """One page: strings at places, raw drawing, and whether it is only a picture."""

    strings: list[tuple[float, float, float, str]] = field(default_factory=list)
    drawing: str = ""
    picture: bool = False
    extra: str = ""

    def write(self, x: float, y: float, text: str, size: float = 11) -> "PdfSheet":
        self.strings.append((x, y, size, text))
        return self

    def content(self) -> bytes:
        parts = [self.drawing]
        if self.picture:
            parts.append("q 400 0 0 600 80 100 cm /Im1 Do Q")
        for x, y, size, text in self.strings:
            escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            parts.append(f"BT /F1 {size} Tf {x} {y} Td ({escaped}) Tj ET")
        return "\n".join(parts).encode("cp1252", "replace")


def make_pdf(
    sheets: list[PdfSheet], *, info: str = "", catalog: str = "", more: tuple[str, ...] = ()
) -> bytes:
    """`more` are further objects, numbered from 20 on, which `extra` and `catalog` may refer to."""
    objects: dict[int, bytes] = {
        3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        4: b"<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Length 1>>"
        b"stream\n\x80\nendstream",
        5: f"<<{info}>>".encode("cp1252"),
    }
    kids = []
    for number, sheet in enumerate(sheets):
        page, stream = 100 + 2 * number, 101 + 2 * number
        kids.append(f"{page} 0 R")
        packed = zlib.compress(sheet.content())
        objects[page] = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {stream} 0 R{sheet.extra}"
            "/Resources<</Font<</F1 3 0 R>>/XObject<</Im1 4 0 R>>>>>>"
        ).encode()
        objects[stream] = (
            f"<</Length {len(packed)}/Filter/FlateDecode>>stream\n".encode() + packed + b"\nendstream"
        )
    objects[1] = f"<</Type/Catalog/Pages 2 0 R{catalog}>>".encode()
    objects[2] = f"<</Type/Pages/Count {len(kids)}/Kids[{' '.join(kids)}]>>".encode()
    objects |= {20 + number: text.encode("cp1252") for number, text in enumerate(more)}
    return assemble_pdf(objects)


def assemble_pdf(objects: dict[int, bytes], trailer: str = "/Root 1 0 R/Info 5 0 R") -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number in sorted(objects):
        places[number] = out.tell()
        out.write(f"{number} 0 obj\n".encode() + objects[number] + b"\nendobj\n")
    start = out.tell()
    out.write(b"xref\n0 1\n0000000000 65535 f \n")
    for number, place in places.items():
        out.write(f"{number} 1\n{place:010d} 00000 n \n".encode())
    out.write(f"trailer<</Size {max(objects) + 1}{trailer}>>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def pdf_page(seed: int, lines: int = 30) -> PdfSheet:
    sheet = PdfSheet()
    for number in range(lines):
        sheet.write(72, 740 - 16 * number, sentence(seed * 100 + number))
    return sheet


def make_zip(members: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(zipfile.ZipInfo(name, (2026, 11, 13, 9, 0, 0)), content)
    return out.getvalue()


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def make_docx(body: str, **parts: str) -> bytes:
    members: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f'<?xml version="1.0"?><w:document {W}><w:body>{body}</w:body></w:document>',
        "word/styles.xml": (
            f'<w:styles {W}><w:style w:styleId="Ttulo1"><w:name w:val="heading 1"/></w:style>'
            '<w:style w:styleId="Mine"><w:name w:val="mine"/><w:basedOn w:val="Ttulo1"/></w:style></w:styles>'
        ),
        "word/numbering.xml": (
            f'<w:numbering {W}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/>'
            '</w:lvl></w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
        ),
        "docProps/core.xml": (
            '<c:coreProperties xmlns:c="c" xmlns:dc="dc" xmlns:t="t"><dc:title>Harbour dues</dc:title>'
            "<dc:creator>Ilse Brandt</dc:creator><c:keywords>dues; harbour</c:keywords>"
            "<t:created>2026-11-13T08:00:00Z</t:created><t:modified>2026-11-14T08:00:00Z</t:modified>"
            "</c:coreProperties>"
        ),
    }
    return make_zip(members | {name.replace("__", "/") + ".xml": text for name, text in parts.items()})


def paragraph(text: str, properties: str = "") -> str:
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


DOCX_BODY = (
    paragraph("Scope", '<w:pStyle w:val="Ttulo1"/>')
    + paragraph(BODY)
    + paragraph("First duty", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="7"/></w:numPr>')
    + paragraph("Second duty", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="7"/></w:numPr>')
    + "<w:p><w:del><w:r><w:delText>struck out</w:delText></w:r></w:del><w:r><w:t>kept</w:t></w:r></w:p>"
    + "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Group</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Fee</w:t></w:r></w:p>"
    "</w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>Alpha</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>12.50</w:t>"
    "</w:r></w:p></w:tc></w:tr></w:tbl>"
)
ODF = (
    'xmlns:office="o" xmlns:text="t" xmlns:table="tb" xmlns:xlink="x" xmlns:meta="m" xmlns:dc="dc" '
    'xmlns:manifest="mf"'
)


def make_odt(body: str, **members: str) -> bytes:
    content = f"<office:document-content {ODF}><office:body><office:text>{body}</office:text></office:body>"
    meta = (
        f"<office:document-meta {ODF}><office:meta><dc:title>Harbour dues</dc:title><meta:initial-creator>Ilse Brandt"
        "</meta:initial-creator><meta:creation-date>2026-11-13T08:00:00</meta:creation-date></office:meta>"
        "</office:document-meta>"
    )
    xml_members = {name.replace("__", "/") + ".xml": text for name, text in members.items()}
    return make_zip(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": content + "</office:document-content>",
            "meta.xml": meta,
            **xml_members,
        }
    )


ODT_BODY = (
    '<text:h text:outline-level="2">Scope</text:h>'
    f"<text:p>{BODY}<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note below."
    "</text:p></text:note-body></text:note> After it.</text:p>"
    "<text:list><text:list-item><text:p>First duty</text:p></text:list-item></text:list>"
    '<text:p>wide<text:s text:c="3"/>gap<text:line-break/>next <text:a xlink:href="https://north.example/">link'
    "</text:a></text:p>"
    "<table:table><table:table-row><table:table-cell><text:p>Group</text:p></table:table-cell><table:table-cell>"
    "<text:p>Fee</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Alpha"
    '</text:p></table:table-cell><table:table-cell table:number-columns-repeated="1000000"/></table:table-row>'
    "</table:table>"
)
RTF = (
    rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial;}}"
    rb"{\stylesheet{\s0 Normal;}{\s1 heading 1;}}{\info{\title Harbour dues}{\author Ilse Brandt}"
    rb"{\creatim\yr2026\mo11\dy13\hr8\min5}}{\*\generator none}"
    rb"\pard\s1 Scope\par\pard\s0 The council of Northgate approved the budget. Se\'f1or Ib\u225?\u241?ez read the "
    rb"notice aloud in the harbour office.\par "
    rb"{\pict\pngblip 89504e47}{\f1\'cf\'f0\'e8\'e2\'e5\'f2}\par"
    rb"\trowd\intbl Group\cell Fee\cell\row\trowd\intbl Alpha\cell 12.50\cell\row\pard The end\par}"
)
EML = (
    b"From: =?utf-8?q?Ilse_Ib=C3=A1=C3=B1ez?= <ilse@north.example>\r\nTo: desk@south.example\r\n"
    b"Subject: =?utf-8?b?SGFyYm91ciBkdWVzIOKAkyBub3RpY2U=?=\r\nDate: Fri, 13 Nov 2026 08:41:00 +0100\r\n"
    b"Message-ID: <1@north.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=cut\r\n\r\n"
    b"--cut\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    b"The council of Northgate approved the budget. Se=C3=B1or Ib=C3=A1=C3=B1ez read the notice aloud.\r\n"
    b'--cut\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="../dues.pdf"\r\n'
    b"Content-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--cut--\r\n"
)
BOE = (
    '<?xml version="1.0" encoding="UTF-8"?><documento fecha_actualizacion="20261113071519"><metadatos>'
    '<identificador>BOE-A-2026-99001</identificador><departamento codigo="9591">Ministerio de Ejemplo</departamento>'
    '<rango codigo="1340">Real Decreto</rango><fecha_disposicion>20261110</fecha_disposicion>'
    "<titulo>Real Decreto <em>901/2026</em>, por el que se regula un subsidio de ejemplo.</titulo>"
    "<fecha_publicacion>20261113</fecha_publicacion><seccion>1</seccion>"
    "<url_pdf>/boe/dias/2026/11/13/pdfs/BOE-A-2026-99001.pdf</url_pdf>"
    "<url_eli>https://www.boe.es/eli/es/rd/2026/11/10/901</url_eli></metadatos>"
    '<analisis><materias><materia codigo="5595" orden="1">Prestaciones</materia></materias><referencias><anteriores>'
    '<anterior referencia="BOE-A-2015-11724" orden="2015"><palabra codigo="330">CITA</palabra><texto>texto refundido'
    "</texto></anterior></anteriores><posteriores/></referencias></analisis>"
    '<texto><p class="capitulo">CAPÍTULO I</p><p class="articulo">Artículo 1. Objeto.</p><p class="parrafo">Este real '
    "decreto regula <em>un subsidio</em> de ejemplo.</p><table><tr><td><p>Grupo</p></td><td><p>Importe</p></td></tr>"
    "<tr><td><p>A</p></td><td><p>480 €</p></td></tr></table></texto></documento>"
).encode()
HTML = b"<!doctype html><html><head><title>T</title></head><body><p>Hello</p></body></html>"


def samples() -> dict[str, bytes]:
    """One readable paper of each format."""
    return {
        "pdf": make_pdf(
            [pdf_page(1), pdf_page(2)], info="/Title(Harbour dues)/CreationDate(D:20261113080000+01'00')"
        ),
        "docx": make_docx(DOCX_BODY),
        "odt": make_odt(ODT_BODY),
        "rtf": RTF,
        "eml": EML,
        "boe": BOE,
    }


def mutations(kind: str, data: bytes, count: int) -> Iterator[bytes]:
    """Damaged copies, the same ones every time: bytes changed, cut, duplicated, swapped, numbers made huge."""
    for number in range(count):
        chance = random.Random(f"{kind} {number}")
        yield (
            mutated(data, chance) if kind not in {"docx", "odt"} or number % 3 == 0 else inside(data, chance)
        )


def mutated(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 2, 5, 20, 200))):
        place = chance.randrange(len(changed) or 1)
        length = min(chance.choice((1, 2, 8, 64, 512)), len(changed) - place)
        piece = changed[place : place + length]
        match chance.randrange(7):
            case 0:
                changed[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                del changed[place : place + length]
            case 2:
                changed[place:place] = piece * chance.choice((1, 3, 50))
            case 3:
                changed[place : place + length] = bytes(chance.randrange(256) for _ in range(length))
            case 4:
                changed[place:place] = chance.choice(
                    (b"9999999999", b"-1", b"<", b">>", b"\\u", b"{", b"\0", b"%")
                )
            case 5:
                changed[place : place + length] = piece[::-1]
            case _:
                if chance.random() < 0.2:
                    del changed[place:]
    return bytes(changed)


def inside(data: bytes, chance: random.Random) -> bytes:
    """Damage within a member of a zip file that is whole."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        members: dict[str, str | bytes] = {name: file.read(name) for name in file.namelist()}
    name = chance.choice(sorted(members))
    content = members[name]
    members[name] = mutated(content if isinstance(content, bytes) else content.encode(), chance)
    return make_zip(members)


DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (make_pdf([pdf_page(1)]), "application/pdf"),
        (b"junk before\n" + make_pdf([pdf_page(1)]), "application/pdf"),
        (make_docx(DOCX_BODY), DOCX),
        (make_odt(ODT_BODY), "application/vnd.oasis.opendocument.text"),
        (make_zip({"a.txt": "x"}), "application/zip"),
        (
            make_zip({"xl/workbook.xml": "x"}),
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ),
        (RTF, "application/rtf"),
        (EML, "message/rfc822"),
        (BOE, "application/xml"),
        (HTML, "text/html"),
        (b"<!-- c --><html><p>x", "text/html"),
        (b'\xef\xbb\xbf {"a": [1]}', "application/json"),
        (b"[build]\nname = [1]", "text/plain"),
        ("Señor Ibáñez read the notice.".encode(), "text/plain"),
        ("Señor Ibáñez read the notice.".encode("utf-16"), "text/plain"),
        (b"# Head\n\n- one\n\n## More\n\ntext", "text/markdown"),
        (b"\x89PNG\r\n\x1a\n" + bytes(30), "image/png"),
        (b"\x1f\x8b\x08\x00", "application/gzip"),
        (bytes(range(256)) * 4, "application/octet-stream"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "application/x-encrypted-office",
        ),
    ],
)
@pytest.mark.parametrize("claimed", [None, "application/octet-stream", "application/pdf", "image/png"])
def test_bytes_are_recognised_whatever_their_type_claims(
    data: bytes, expected: str, claimed: str | None
) -> None:
    sniffed = sniff_media_type(data, claimed)
    plainly_marked = {"text/markdown", "text/plain"}
    assert sniffed == expected or (
        claimed not in {None, "application/octet-stream"} and {sniffed, expected} == plainly_marked
    )
