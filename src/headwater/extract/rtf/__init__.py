"""The reader of RTF."""

from headwater.extract.rtf.reader import read_rtf

__all__ = ["read_rtf"]
