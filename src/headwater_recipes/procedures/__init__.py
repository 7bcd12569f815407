"""Procedures of public administrations: pages in, ProcedureDoc files out."""
