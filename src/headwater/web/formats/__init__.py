"""Lists in other forms than JSON: CSV, Parquet, Atom, RSS and JSON Feed."""
