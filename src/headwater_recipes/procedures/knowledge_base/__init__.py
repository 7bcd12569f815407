"""The files of the knowledge base: documents, catalogue, review."""
