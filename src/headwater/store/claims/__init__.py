"""Work in rows: claimed under a lease, finished in one transaction; one module per stage."""
