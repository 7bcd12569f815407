"""What the benchmark of the reader of pages is made of."""
