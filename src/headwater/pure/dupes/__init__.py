"""Near and exact duplicates: signatures, verification and the ladder that uses them."""
