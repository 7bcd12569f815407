"""Hostile and damaged files: each ends as text or with a reason, within its limits, and affects no other."""

import io
import zipfile

import pytest
from tests.pure.test_extract_samples import (
    ODF,
    PdfSheet,
    W,
    make_docx,
    make_odt,
    make_pdf,
    make_zip,
    mutations,
    paragraph,
    samples,
)

from headwater.extract.office.docx import read_docx
from headwater.extract.reader import read_any
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.errors import Permanent
from headwater.model.outcomes import ExtractHints, Reading, Unreadable

NONE = ExtractHints()
MUTATIONS_PER_KIND = 36
REASONS = {
    "no_text", "malformed", "encrypted", "unsupported", "too_large", "requires_ocr", "error_page",
    "extractor_died", "extractor_timeout", "extractor_memory",
    "js_required", "paywall", "consent", "login", "soft_404", "redirect_stub",
}  # fmt: skip


@pytest.fixture(scope="module")
def extract():
    extractor = Sandboxed(read_any, seconds=20.0)
    yield extractor
    extractor.close()


def reason(outcome: Reading | Unreadable) -> str:
    assert isinstance(outcome, Unreadable), outcome.text[:200]
    return outcome.reason


def text_or_reason(extract: Sandboxed, data: bytes) -> str:
    """The text, or the reason why there is none."""
    try:
        outcome = extract(data, NONE)
    except Permanent as error:
        return error.reason
    return outcome.text if isinstance(outcome, Reading) else outcome.reason


@pytest.mark.parametrize("kind", sorted(samples()))
def test_damaged_files_end_as_text_or_with_a_reason(extract: Sandboxed, kind: str) -> None:
    checked = 0
    for data in mutations(kind, samples()[kind], MUTATIONS_PER_KIND):
        outcome = extract(data, NONE)
        assert isinstance(outcome, Reading) or outcome.reason in REASONS
        checked += 1
    assert checked == MUTATIONS_PER_KIND


def bomb(megabytes: int) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file,
        file.open("word/document.xml", "w") as member,
    ):
        member.write(f"<w:document {W}><w:body><w:p><w:r><w:t>".encode())
        for _ in range(megabytes):
            member.write(b"A" * 1_000_000)
        member.write(b"</w:t></w:r></w:p></w:body></w:document>")
    return out.getvalue()


def test_zip_bombs_are_not_decompressed(extract: Sandboxed) -> None:
    data = bomb(300)
    assert len(data) < 400_000
    assert reason(extract(data, NONE)) == "too_large"


def test_a_zip_with_false_sizes_is_refused(extract: Sandboxed) -> None:
    data = bytearray(bomb(50))
    directory = data.rindex(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (100).to_bytes(4, "little")  # its unpacked size
    assert reason(extract(bytes(data), NONE)) in {"malformed", "too_large"}


def test_a_zip_with_too_many_members_is_refused(extract: Sandboxed) -> None:
    members: dict[str, str | bytes] = {f"a{n}": b"" for n in range(20_100)}
    assert reason(extract(make_zip({**members, "word/document.xml": b"<a/>"}), NONE)) == "too_large"


LAUGHS = '<!DOCTYPE a [<!ENTITY l0 "ha">' + "".join(
    f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)
)


@pytest.mark.parametrize(
    "declared",
    [
        LAUGHS + "]>",
        '<!DOCTYPE a [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x"> %x; <!ENTITY l9 "b">]>',
        '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/x.dtd">',
    ],
)
def test_entities_are_neither_expanded_nor_loaded(extract: Sandboxed, declared: str) -> None:
    plain = f'<?xml version="1.0"?>{declared}<a><p>before &l9; after</p></a>'.encode()
    document = (
        f"{declared}<w:document {W}><w:body><w:p><w:r><w:t>x &l9;</w:t></w:r></w:p></w:body></w:document>"
    )
    office = make_zip({"word/document.xml": document})
    for data in (plain, office):
        outcome = extract(data, NONE)
        text = outcome.text if isinstance(outcome, Reading) else ""
        assert "root:" not in text
        assert "haha" not in text


def test_very_deep_nesting_ends_as_text_or_with_a_reason(extract: Sandboxed) -> None:
    deep = 100_000
    nested = {
        "xml": b"<a>" * deep + b"text" + b"</a>" * deep,
        "rtf": b"{\\rtf1 " + b"{" * deep + b"text" + b"}" * deep + b"}",
        "docx": make_docx("<w:sdt>" * deep + paragraph("text") + "</w:sdt>" * deep),
        "tables": make_docx(
            "<w:tbl><w:tr><w:tc>" * 3000 + paragraph("text") + "</w:tc></w:tr></w:tbl>" * 3000
        ),
        "odt": make_odt("<text:list><text:list-item>" * 20_000 + "<text:p>x</text:p>"),
        "eml": b"From: a@b.example\r\nSubject: s\r\nMIME-Version: 1.0\r\n"
        + b"".join(
            b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(3000)
        ),
    }
    for data in nested.values():
        outcome = extract(data, NONE)
        assert isinstance(outcome, Reading) or outcome.reason in REASONS


def test_long_runs_of_one_pattern_are_read_quickly(extract: Sandboxed) -> None:
    size = 2_000_000
    runs = [
        b" " * size + b"x",
        b"# " + b"\t " * (size // 2) + b"x\n## y",
        b"[" * size + b"](x)",
        b"**a" * (size // 3),
        b"---\n" + b"a: b\n" * (size // 50),
        b"{\\rtf1 " + b"\\'" * (size // 2) + b"}",
        b"{\\rtf1 " + b"\\u8364?" * (size // 8) + b"}",
        b"From: " + b"=?utf-8?q?" * (size // 10) + b"\r\nTo: a\r\nSubject: " + b"(" * size + b"\r\n\r\nx",
        b"<a>" + b"<b/>" * (size // 4) + b"words</a>",
    ]
    for data in runs:
        outcome = extract(data, NONE)
        assert isinstance(outcome, Reading) or outcome.reason in REASONS - {
            "extractor_died",
            "extractor_timeout",
        }


def test_pages_crowded_with_drawings_or_words_are_read(extract: Sandboxed) -> None:
    chart = PdfSheet(
        drawing="\n".join(f"{n % 500} {n % 700} m {n % 500 + 40} {n % 700} l S" for n in range(30_000))
    )
    chart.write(72, 700, "A chart of many rules stands on this page.")
    outcome = extract(make_pdf([chart]), NONE)
    assert isinstance(outcome, Reading)
    assert "A chart of many rules" in outcome.text
    crowded = PdfSheet(strings=[(n % 590, n % 830, 3 + n % 9, f"w{n} ") for n in range(20_000)])
    assert isinstance(extract(make_pdf([crowded]), NONE), Reading)


def test_a_pdf_that_decompresses_to_a_huge_size_stays_within_its_limit(extract: Sandboxed) -> None:
    sheet = PdfSheet(drawing=" " * 200_000_000).write(72, 700, "words at the end of it all")
    outcome = text_or_reason(extract, make_pdf([sheet]))
    assert outcome in {"words at the end of it all", "extractor_died", "extractor_memory"}
    assert isinstance(extract(samples()["pdf"], NONE), Reading)


def test_paths_inside_files_lead_nowhere() -> None:
    relations = (
        '<Relationships><Relationship Type="x/officeDocument" Target="/../../etc/passwd"/></Relationships>'
    )
    data = make_docx(paragraph("inside"), **{"_rels__.rels": ""}).replace(
        b"_rels/.rels.xml", b"_rels/.rels.xml"
    )
    outcome = read_docx(make_zip({"_rels/.rels": relations, **_members(data)}), NONE)
    assert isinstance(outcome, Reading)
    assert outcome.text == "inside"


def _members(data: bytes) -> dict[str, str | bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_encrypted_members_are_refused_as_encrypted(extract: Sandboxed) -> None:
    data = bytearray(make_docx(paragraph("secret")))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = -1
        while (place := data.find(signature, place + 1)) >= 0:
            data[place + offset] |= 1
    assert reason(extract(bytes(data), NONE)) == "encrypted"


def test_odt_cells_and_spaces_are_not_repeated_without_end(extract: Sandboxed) -> None:
    body = (
        f'<text:p {ODF}>a<text:s text:c="999999999"/>b</text:p><table:table><table:table-row>'
        '<table:table-cell table:number-columns-repeated="99999"><text:p>x</text:p></table:table-cell>'
        "</table:table-row></table:table>"
    )
    outcome = extract(make_odt(body), NONE)
    assert isinstance(outcome, Reading)
    assert len(outcome.text) < 2_000
