"""PDFs generated with reportlab, each with its input."""

import io

from PIL import Image
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, Table
from tests.pure.test_extract_samples import sentence

STYLES = getSampleStyleSheet()


def flowing(paragraphs: int, columns: int) -> tuple[bytes, list[str]]:
    """A document of running text with running heads and feet, and its words without them."""
    out = io.BytesIO()
    template = BaseDocTemplate(out, pagesize=A4, title="Annual report of Northgate", author="Ilse Brandt")
    width = (template.width - 20 * (columns - 1)) / columns
    frames = [
        Frame(
            template.leftMargin + n * (width + 20), template.bottomMargin, width, template.height, id=f"f{n}"
        )
        for n in range(columns)
    ]
    template.addPageTemplates([PageTemplate(frames=frames, onPage=running_heads)])
    story, gold = [], []
    for number in range(paragraphs):
        heading, body = (
            f"Section {number} of the review",
            " ".join(sentence(number * 50 + n, 14) for n in range(9)),
        )
        story += [Paragraph(heading, STYLES["Heading2"]), Paragraph(body, STYLES["BodyText"])]
        gold += [*heading.split(), *body.split()]
    template.build(story)
    return out.getvalue(), gold


def running_heads(canvas: Canvas, template: BaseDocTemplate) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.drawString(72, 815, "Northgate Harbour Board")
    canvas.drawRightString(520, 30, f"Page {template.page}")


def tabular() -> tuple[bytes, list[list[str]]]:
    rows = [["Group", "Amount", "Term"]] + [
        [f"Kind {n}", f"{n * 7}.50", f"{n * 10} days"] for n in range(1, 20)
    ]
    out = io.BytesIO()
    template = BaseDocTemplate(out, pagesize=A4)
    template.addPageTemplates([PageTemplate(frames=[Frame(72, 72, 450, 700)])])
    table = Table(rows, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
    template.build(
        [
            Paragraph(sentence(1, 40), STYLES["BodyText"]),
            table,
            Paragraph(sentence(2, 40), STYLES["BodyText"]),
        ]
    )
    return out.getvalue(), rows


def form() -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out)
    canvas.drawString(72, 760, "Application to the harbour office of Northgate")
    canvas.acroForm.textfield(
        name="name", tooltip="Full name", value="Ilse Brandt", x=72, y=700, fieldFlags="required"
    )
    canvas.acroForm.choice(name="turn", options=["Morning", "Evening"], value="Morning", x=72, y=650)
    canvas.acroForm.checkbox(name="agreed", x=72, y=600)
    canvas.save()
    return out.getvalue()


def scan() -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out)
    for _ in range(2):
        canvas.drawImage(ImageReader(Image.new("L", (60, 90), 200)), 0, 0, 595, 842)
        canvas.showPage()
    canvas.save()
    return out.getvalue()
