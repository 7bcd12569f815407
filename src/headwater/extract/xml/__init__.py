"""XML: by field map, or as the text of its elements."""
