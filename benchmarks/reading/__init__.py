"""Parts of the benchmark of text extraction."""
