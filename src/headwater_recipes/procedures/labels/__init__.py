"""Which section a heading opens: the vocabulary and its rules."""
