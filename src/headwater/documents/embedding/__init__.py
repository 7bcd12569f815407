"""Sentence embeddings on the CPU; needs the extra `nlp`."""
