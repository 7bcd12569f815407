"""XML: by field map, the official gazette, or as the text of its elements."""
