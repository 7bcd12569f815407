"""The reader of PDF."""

from headwater.extract.pdf.read import PdfReader, read_pdf

__all__ = ["PdfReader", "read_pdf"]
