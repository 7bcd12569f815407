"""The countries that a document is about."""
