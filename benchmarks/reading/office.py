"""PDFs by LibreOffice, where it is installed: running text in one and two columns, and a table."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.pure.test_extract_samples import sentence

_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0"'
    for name, kind in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("style", "style"),
        ("fo", "xsl-fo-compatible"),
    )
)
_STYLES = """<office:automatic-styles><style:style style:name="Columns" style:family="section"><style:section-properties>
<style:columns fo:column-count="{columns}" fo:column-gap="0.6cm"/></style:section-properties></style:style>
<style:style style:name="Cell" style:family="table-cell"><style:table-cell-properties fo:border="0.05pt solid #000000"/></style:style></office:automatic-styles>"""
_DOCUMENT = (
    '<?xml version="1.0" encoding="UTF-8"?><office:document {spaces} office:version="1.3" '
    'office:mimetype="application/vnd.oasis.opendocument.text">{styles}<office:body><office:text>{body}</office:text></office:body></office:document>'
)
_PARAGRAPHS = 40


def office_program() -> str | None:
    return shutil.which("soffice")


def office_texts(program: str) -> dict[str, tuple[bytes, list[str]]]:
    """By name: the PDF, and its words in order."""
    return {
        f"LibreOffice, {name}": _running(program, columns)
        for name, columns in (("one column", 1), ("two columns", 2))
    }


def office_table(program: str) -> tuple[bytes, list[list[str]]]:
    rows = [["Group", "Amount", "Term"]] + [
        [f"Kind {n}", f"{n * 7}.50", f"{n * 10} days"] for n in range(1, 20)
    ]
    cells = "".join(
        "<table:table-row>" + "".join(_cell(cell) for cell in row) + "</table:table-row>" for row in rows
    )
    table = f'<table:table><table:table-column table:number-columns-repeated="3"/>{cells}</table:table>'
    body = f"<text:p>{sentence(1, 40)}</text:p>{table}<text:p>{sentence(2, 40)}</text:p>"
    return _converted(program, body, 1), rows


def _cell(text: str) -> str:
    return f'<table:table-cell table:style-name="Cell"><text:p>{text}</text:p></table:table-cell>'


def _running(program: str, columns: int) -> tuple[bytes, list[str]]:
    texts = [" ".join(sentence(number * 50 + n, 14) for n in range(9)) for number in range(_PARAGRAPHS)]
    inside = "".join(f"<text:p>{text}</text:p>" for text in texts)
    body = f'<text:section text:style-name="Columns" text:name="All">{inside}</text:section>'
    return _converted(program, body, columns), " ".join(texts).split()


def _converted(program: str, body: str, columns: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "paper.fodt"
        text = _DOCUMENT.format(spaces=_SPACES, styles=_STYLES.format(columns=columns), body=body)
        source.write_text(text, encoding="utf-8")
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = [program, profile, "--headless", "--convert-to", "pdf", "--outdir", folder, str(source)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return (Path(folder) / "paper.pdf").read_bytes()
