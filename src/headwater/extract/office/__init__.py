"""DOCX and ODT."""
