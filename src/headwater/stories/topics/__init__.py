"""Topics of texts; the classifier needs the extra `nlp`."""
