"""Exact and near duplicates: fingerprints, signatures, and the rules that compare two articles."""
