"""Lists in other forms than JSON: CSV, Parquet and feeds."""
