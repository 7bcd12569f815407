"""Leads to captures: a polite, guarded HTTP client."""
