"""Pairs of reports in other words, and pairs of similar reports of two events, all invented."""
