"""The language of a document, and translated titles."""
