"""Procedures as files: PDF, Word and OpenDocument, written here with nothing but the standard library."""

import io
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from xml.sax.saxutils import escape

from headwater_demo.procedures.content import DemoPortal, ProcedureText
from headwater_demo.procedures.parts import pieces

PDF, DOCX = "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT = "application/vnd.oasis.opendocument.text"
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TAGS = re.compile(r"<[^>]+>")
_WIDTH, _TOP, _BOTTOM = 88, 790, 60
StyledLine = tuple[str, str]
_EPOCH = (2026, 11, 1, 0, 0, 0)


def lines_of(portal: DemoPortal, text: ProcedureText, turn: int) -> Iterator[StyledLine]:
    """(style, words): title, heading, item or text."""
    yield "title", text.nombre
    for piece in pieces(portal, text, turn):
        yield "heading", piece.label
        style = "item" if piece.kind == "list" and len(piece.lines) > 1 else "text"
        for line in piece.lines:
            yield style, _words(line)


def _words(markup: str) -> str:
    link = re.search(r'href="([^"]+)"', markup)
    words = unescape(_TAGS.sub("", markup))
    return (
        f"{words} ({link[1]})" if link and link[1].startswith("http") and "boe.es" not in link[1] else words
    )


def docx(portal: DemoPortal, text: ProcedureText, turn: int) -> bytes:
    styles = {"title": "Heading1", "heading": "Heading2", "text": "Normal", "item": "ListBullet"}
    numbering = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{styles[style]}"/>{numbering if style == "item" else ""}</w:pPr>'
        f'<w:r><w:t xml:space="preserve">{escape(words)}</w:t></w:r></w:p>'
        for style, words in lines_of(portal, text, turn)
    )
    return _zipped(
        {
            "[Content_Types].xml": '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{DOCX}.main+xml"/></Types>',
            "_rels/.rels": '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<?xml version="1.0" encoding="UTF-8"?><w:document {_W}><w:body>{body}</w:body></w:document>',
        }
    )


def odt(portal: DemoPortal, text: ProcedureText, turn: int) -> bytes:
    body = "".join(_odt_line(*line) for line in lines_of(portal, text, turn))
    spaces = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    return _zipped(
        {
            "mimetype": ODT,
            "META-INF/manifest.xml": '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{ODT}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',
            "content.xml": f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces}><office:body><office:text>{body}</office:text></office:body></office:document-content>',
        }
    )


def _odt_line(style: str, words: str) -> str:
    text = escape(words)
    if style in {"title", "heading"}:
        return f'<text:h text:outline-level="{1 if style == "title" else 2}">{text}</text:h>'
    if style == "item":
        return f"<text:list><text:list-item><text:p>{text}</text:p></text:list-item></text:list>"
    return f"<text:p>{text}</text:p>"


def _zipped(files: dict[str, str]) -> bytes:
    """The same bytes every time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            packed.writestr(zipfile.ZipInfo(name, _EPOCH), content, kind)
    return out.getvalue()


def pdf(portal: DemoPortal, text: ProcedureText, turn: int) -> bytes:
    """Helvetica, headings larger and bold, as many pages as it takes."""
    sheets: list[list[str]] = [[]]
    height = _TOP
    for style, words in lines_of(portal, text, turn):
        font, size, indent, gap = {
            "title": ("F2", 18, 60, 14),
            "heading": ("F2", 13, 60, 12),
            "item": ("F1", 10, 72, 3),
            "text": ("F1", 10, 60, 4),
        }[style]
        rows = _wrapped(f"• {words}" if style == "item" else words, int(_WIDTH * 10 / size))
        if height - len(rows) * size * 1.3 < _BOTTOM:
            sheets.append([])
            height = _TOP
        height -= gap
        for number, row in enumerate(rows):
            height -= int(size * 1.3)
            place = indent + (8 if style == "item" and number else 0)
            sheets[-1].append(f"BT /{font} {size} Tf {place} {height} Td ({_escaped(row)}) Tj ET")
    return _assembled(["\n".join(sheet).encode("cp1252", "replace") for sheet in sheets])


def _wrapped(words: str, width: int) -> list[str]:
    rows = [""]
    for word in words.split():
        if rows[-1] and len(rows[-1]) + 1 + len(word) > width:
            rows.append(word)
        else:
            rows[-1] = f"{rows[-1]} {word}".strip()
    return rows


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _assembled(sheets: list[bytes]) -> bytes:
    fonts = [
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
        for name in ("Helvetica", "Helvetica-Bold")
    ]
    kids = " ".join(f"{5 + 2 * n} 0 R" for n in range(len(sheets)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(sheets)} >>".encode(),
        *fonts,
    ]
    for n, sheet in enumerate(sheets):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {6 + 2 * n} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(sheet), sheet))
    return _numbered(objects)


def _numbered(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(
        out + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    )
