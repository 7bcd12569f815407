"""Whether a document was parsed well enough to continue."""
