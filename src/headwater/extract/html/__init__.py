"""The reader of web pages."""

from headwater.extract.html.profiles import reader
from headwater.extract.html.reader import read_html

__all__ = ["read_html", "reader"]
