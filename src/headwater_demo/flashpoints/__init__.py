"""Invented flashpoints, and what invented newspapers report about them."""

from headwater_demo.flashpoints.flashpoint_list import flashpoints
from headwater_demo.flashpoints.reports import REPORTS, Report

__all__ = ["REPORTS", "Report", "flashpoints"]
