"""The reader of PDF."""

from headwater.extract.pdf.reader import PdfReader, read_pdf

__all__ = ["PdfReader", "read_pdf"]
