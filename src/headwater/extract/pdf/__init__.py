"""PDF: words, reading order, tables, scanned pages."""
