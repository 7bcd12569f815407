"""Title, authors, dates and kind of a page, from JSON-LD, meta elements and the text around the headline."""
