"""Invented places in trouble, and what invented papers write about them."""

from headwater_demo.flashpoints.listing import flashpoints
from headwater_demo.flashpoints.reports import REPORTS, Report

__all__ = ["REPORTS", "Report", "flashpoints"]
