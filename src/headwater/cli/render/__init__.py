"""Output: tables, progress, reports."""
