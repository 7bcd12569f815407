"""PDF: order, columns, tables, headings, boilerplate, forms and pictures."""

from datetime import timedelta

import pytest
from tests.pure.test_extract_samples import PdfSheet, assemble_pdf, make_pdf, pdf_page, sentence

from headwater.extract import tesseract
from headwater.extract.pdf.reader import PdfReader, read_pdf
from headwater.model.outcomes import ExtractHints, Reading, Unreadable

NONE = ExtractHints()


def read(data: bytes) -> Reading:
    reading = read_pdf(data, NONE)
    assert isinstance(reading, Reading), reading
    return reading


def column(sheet: PdfSheet, x: float, words: list[str], top: float = 700, step: float = 14) -> None:
    for number, text in enumerate(words):
        sheet.write(x, top - step * number, text)


def test_columns_are_read_one_after_the_other() -> None:
    sheet = PdfSheet().write(100, 760, "A title that spans both of the columns", 20)
    left_lines = [f"left line number {n} of the story told here" for n in range(12)]
    right_lines = [f"right line number {n} of the other story" for n in range(12)]
    for number in range(12):  # written across, as some programs do
        sheet.write(60, 700 - 14 * number, left_lines[number]).write(
            320, 700 - 14 * number, right_lines[number]
        )
    reading = read(make_pdf([sheet]))
    assert (
        reading.text
        == (f"# A title that spans both of the columns\n\n{' '.join(left_lines)}\n\n{' '.join(right_lines)}")
        or reading.text
        == f"# A title that spans both of the columns\n\n{' '.join(left_lines)} {' '.join(right_lines)}"
    )
    assert reading.title == "A title that spans both of the columns"


def test_columns_are_read_in_order_even_if_their_lines_do_not_align() -> None:
    sheet = PdfSheet()
    column(sheet, 60, [f"left line number {n} of the story told here" for n in range(10)])
    column(sheet, 320, [f"right line number {n} of the other story" for n in range(9)], top=695, step=15)
    text = read(make_pdf([sheet])).text
    assert text.index("left line number 9") < text.index("right line number 0")


def test_three_columns_are_read_in_order() -> None:
    sheet = PdfSheet()
    for x, name in ((50, "one"), (230, "two"), (410, "three")):
        column(sheet, x, [f"{name} has its line {n} of some text" for n in range(8)])
    text = read(make_pdf([sheet])).text
    assert text.index("one has its line 7") < text.index("two has its line 0")
    assert text.index("two has its line 7") < text.index("three has its line 0")


def grid(left: float, top: float, widths: list[float], heights: list[float]) -> str:
    right, bottom = left + sum(widths), top - sum(heights)
    across = [top - sum(heights[:n]) for n in range(len(heights) + 1)]
    along = [left + sum(widths[:n]) for n in range(len(widths) + 1)]
    rules = [f"{left} {y} m {right} {y} l S" for y in across] + [
        f"{x} {top} m {x} {bottom} l S" for x in along
    ]
    return "\n".join(rules)


def test_ruled_tables_become_tables_in_their_place() -> None:
    sheet = PdfSheet(drawing=grid(72, 700, [150, 100], [20, 20, 20]))
    sheet.write(72, 740, "Before the table stands a sentence of its own.")
    for row, cells in enumerate((("Group", "Fee"), ("Alpha with words", "12.50"), ("Beta", "7|25"))):
        sheet.write(76, 686 - 20 * row, cells[0]).write(226, 686 - 20 * row, cells[1])
    sheet.write(72, 600, "After the table stands another sentence.")
    reading = read(make_pdf([sheet]))
    assert reading.text == (
        "Before the table stands a sentence of its own.\n\n"
        "| Group | Fee |\n| --- | --- |\n| Alpha with words | 12.50 |\n| Beta | 7\\|25 |\n\n"
        "After the table stands another sentence."
    )
    assert reading.attributes["tables"] == 1


def test_cells_without_a_rule_between_them_are_one() -> None:
    rules = (
        "72 700 m 322 700 l S 72 680 m 322 680 l S 72 660 m 322 660 l S "
        "72 700 m 72 660 l S 322 700 m 322 660 l S 222 680 m 222 660 l S"
    )
    sheet = PdfSheet(drawing=rules).write(76, 686, "A heading over both of the columns here")
    sheet.write(76, 666, "left").write(226, 666, "right")
    assert read(make_pdf([sheet])).text == (
        "| A heading over both of the columns here |  |\n| --- | --- |\n| left | right |"
    )


def test_a_frame_around_a_paragraph_is_not_a_table() -> None:
    sheet = PdfSheet(drawing="60 720 m 400 720 l 400 640 l 60 640 l h S")
    column(sheet, 72, ["This paragraph stands in a frame", "and goes on for a second line."])
    assert read(make_pdf([sheet])).text == "This paragraph stands in a frame and goes on for a second line."


def test_aligned_short_pieces_are_a_table_without_rules() -> None:
    sheet = PdfSheet().write(72, 740, "A sentence that is followed by figures in columns without any rule.")
    for row, cells in enumerate(
        (("Quarter", "Income", "Costs"), ("First", "120", "80"), ("Second", "140", "90"))
    ):
        for place, cell in enumerate(cells):
            sheet.write(72 + 150 * place, 700 - 18 * row, cell)
    assert "| First | 120 | 80 |\n| Second | 140 | 90 |" in read(make_pdf([sheet])).text


def numbered_pages(count: int) -> bytes:
    sheets = []
    for number in range(count):
        sheet = pdf_page(number + 1, 20).write(72, 810, "Northgate Harbour Board – Annual report")
        sheets.append(
            sheet.write(280, 30, f"Page {number + 1} of {count}").write(72, 30, "Confidential draft")
        )
    return make_pdf(sheets)


def test_running_heads_feet_and_page_numbers_are_left_out() -> None:
    text = read(numbered_pages(4)).text
    assert "Annual report" not in text
    assert "Page 2" not in text
    assert "Confidential" not in text
    assert sentence(100) in text
    assert sentence(419) in text


def test_a_bare_page_number_is_removed_and_a_number_in_the_text_stays() -> None:
    sheet = pdf_page(1, 5).write(290, 40, "- 17 -").write(72, 600, "1987")
    text = read(make_pdf([sheet])).text
    assert "17" not in text
    assert "1987" in text


def test_words_broken_at_line_ends_are_joined() -> None:
    sheet = PdfSheet()
    column(
        sheet,
        72,
        [
            "The well-known harbour office gave an exam-",
            "ple of how a well-",
            "known rule from 2020-",
            "2021 was used.",
        ],
    )
    assert read(make_pdf([sheet])).text == (
        "The well-known harbour office gave an example of how a well-known rule from 2020-2021 was used."
    )


def test_paragraphs_run_over_pages() -> None:
    first, second = PdfSheet(), PdfSheet()
    column(first, 72, ["The council approved the budget of the", "harbour after a long"], top=200)
    column(second, 72, ["debate in the evening.", "", "A new paragraph."])
    assert "after a long debate in the evening." in read(make_pdf([first, second])).text


def test_headings_by_size_have_levels() -> None:
    sheet = PdfSheet().write(72, 760, "The largest", 24).write(72, 700, "A smaller one", 16)
    column(sheet, 72, [sentence(n) for n in range(6)], top=670)
    reading = read(make_pdf([sheet]))
    assert reading.attributes["headings"] == [
        {"level": 1, "text": "The largest"},
        {"level": 2, "text": "A smaller one"},
    ]


def test_bullets_become_items() -> None:
    sheet = PdfSheet()
    column(sheet, 72, ["The duties are these:", "\x95 to keep the ledger", "\x95 to read the notice"])
    sheet.strings = [(x, y, size, text.replace("\x95", "•")) for x, y, size, text in sheet.strings]
    assert read(make_pdf([sheet])).text.endswith("- to keep the ledger\n- to read the notice")


@pytest.mark.parametrize(("labels", "expected_labels"), [("••••", "- - - -"), ("1234", "1 2 3 4")])
def test_bullets_and_numbers_in_the_margin_belong_to_their_lines(labels: str, expected_labels: str) -> None:
    sheet = PdfSheet()
    column(sheet, 60, list(labels))
    column(sheet, 90, [f"the duty of rank {n} is written in a line" for n in "abcd"])
    text = read(make_pdf([sheet])).text
    expected = [
        f"{label} the duty of rank {n} is written in a line"
        for label, n in zip(expected_labels.split(), "abcd", strict=True)
    ]
    assert text.split() == " ".join(expected).split()


def test_leaders_of_a_table_of_contents_are_shortened() -> None:
    sheet = PdfSheet().write(72, 700, "Harbour dues . . . . . . . . . . . . 12").write(72, 650, "Wait...")
    assert read(make_pdf([sheet])).text == "Harbour dues … 12\n\nWait..."


def test_metadata_dates_keep_their_time_zone() -> None:
    info = "/Title(Harbour dues)/Author(Ilse Brandt)/Keywords(dues, harbour)/CreationDate(D:20261113080000+01'00')"
    reading = read(make_pdf([pdf_page(1)], info=info))
    assert (reading.title, reading.authors, reading.keywords) == (
        "Harbour dues",
        ("Ilse Brandt",),
        ("dues", "harbour"),
    )
    assert reading.published is not None
    assert reading.published.isoformat() == "2026-11-13T08:00:00+01:00"
    assert reading.published.utcoffset() == timedelta(hours=1)
    assert reading.origins["published"] == "pdf metadata"


@pytest.mark.parametrize("title", ["untitled", "(anonymous)", "Microsoft Word - report.docx", "final.indd"])
def test_placeholder_titles_are_ignored(title: str) -> None:
    sheet = pdf_page(1).write(72, 790, "The true title", 22)
    escaped = title.replace("(", "\\(").replace(")", "\\)")
    assert read(make_pdf([sheet], info=f"/Title({escaped})")).title == "The true title"


def test_p14_form_fields_are_data_and_their_values_text() -> None:
    sheet = pdf_page(1, 5)
    sheet.extra = "/Annots[20 0 R 21 0 R]"
    more = (
        "<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/TU(Full name)/V(Ilse Brandt)/Ff 2/Rect[10 10 90 30]>>",
        "<</Type/Annot/Subtype/Widget/FT/Ch/T(turn)/Opt[(Morning)(Evening)]/Ff 131072/Rect[10 40 90 60]>>",
    )
    reading = read(make_pdf([sheet], catalog="/AcroForm<</Fields[20 0 R 21 0 R]>>", more=more))
    name, turn = reading.attributes["form_fields"]
    assert name == {
        "name": "name",
        "type": "text",
        "label": "Full name",
        "value": "Ilse Brandt",
        "required": True,
        "page": 1,
    }
    assert (turn["type"], turn["options"], turn["required"]) == ("select", ["Morning", "Evening"], False)
    assert reading.text.endswith("- Full name: Ilse Brandt")


def test_links_are_found() -> None:
    sheet = pdf_page(1, 3)
    sheet.extra = "/Annots[20 0 R]"
    link = "<</Type/Annot/Subtype/Link/Rect[72 700 200 760]/A<</S/URI/URI(https://north.example/dues)>>>>"
    assert read(make_pdf([sheet], more=(link,))).links == ("https://north.example/dues",)


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_rotated_pages_are_read_as_displayed(angle: int) -> None:
    turns = {0: "1 0 0 1 0 0", 90: "0 1 -1 0 595 0", 180: "-1 0 0 -1 595 842", 270: "0 -1 1 0 0 842"}
    sheet = PdfSheet()
    column(sheet, 72, ["First line of a turned page", "and its second line."], top=500)
    sheet.drawing = f"{turns[angle]} cm"
    sheet.extra = f"/Rotate {angle}"
    assert read(make_pdf([sheet])).text == "First line of a turned page and its second line."


def test_p14_scans_are_recognised_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tesseract, "tesseract", lambda: None)
    scan = PdfSheet(picture=True)
    assert read_pdf(make_pdf([scan, scan]), NONE) == Unreadable("requires_ocr", "2 pages are pictures")
    reading = read(make_pdf([pdf_page(1), scan]))
    assert reading.attributes["requires_ocr"] == [2]
    assert reading.confidence == 0.5


def test_scans_are_recognised_where_tesseract_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def recognise(picture: bytes, languages: str, seconds: float) -> str:
        assert picture.startswith(b"P5 ")
        return "Read off\na picture.\n\nTwice."

    monkeypatch.setattr(tesseract, "tesseract", lambda: "/usr/bin/tesseract")
    monkeypatch.setattr(tesseract, "recognise_picture", recognise)
    reading = read(make_pdf([PdfSheet(picture=True)]))
    assert reading.text == "Read off a picture.\n\nTwice."
    assert reading.attributes["recognised"] == [1]
    without_ocr = PdfReader(recognises=False)(make_pdf([PdfSheet(picture=True)]), NONE)
    assert isinstance(without_ocr, Unreadable)


def test_empty_pages_have_no_text() -> None:
    assert read_pdf(make_pdf([PdfSheet()]), NONE) == Unreadable("no_text")


def test_protected_and_broken_files_are_refused_with_a_reason() -> None:
    data = make_pdf([pdf_page(1)])
    locked = data.replace(
        b"/Info 5 0 R",
        b"/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<"
        + b"ab" * 32
        + b">/U<"
        + b"cd" * 32
        + b">>>/ID[<00><00>]",
    )
    assert read_pdf(locked, NONE) == Unreadable("encrypted", "it needs a password")
    assert read_pdf(b"%PDF-1.7 nothing else", NONE) == Unreadable("malformed", "the PDF cannot be opened")
    truncated = read_pdf(data[: len(data) // 3], NONE)
    assert isinstance(truncated, Reading) or truncated.reason in {"malformed", "no_text"}


def test_a_page_tree_in_a_circle_ends() -> None:
    circle = assemble_pdf(
        {
            1: b"<</Type/Catalog/Pages 2 0 R>>",
            2: b"<</Type/Pages/Count 3/Kids[2 0 R 3 0 R]/Parent 2 0 R>>",
            3: b"<</Type/Pages/Count 2/Kids[2 0 R 3 0 R]/Parent 3 0 R>>",
            5: b"<<>>",
        }
    )
    reading = read_pdf(circle, NONE)
    assert isinstance(reading, Unreadable)
    assert reading.reason in {"malformed", "no_text"}


def test_a_form_object_that_draws_itself_ends() -> None:
    form = "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 20 0 R>>>>/Length 5>>stream\n/X Do\nendstream"
    sheet = pdf_page(1, 3)
    sheet.drawing = "/X Do"
    data = make_pdf([sheet], more=(form,)).replace(b"/XObject<</Im1 4 0 R>>", b"/XObject<</X   20 0 R>>")
    assert sentence(100) in read(data).text
