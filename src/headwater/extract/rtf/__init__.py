"""The reader of RTF."""

from headwater.extract.rtf.read import read_rtf

__all__ = ["read_rtf"]
