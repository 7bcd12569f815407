"""Charset, dates, words, sentences, sniffing, decompression, URLs, redaction: one of each, used by everything above."""
