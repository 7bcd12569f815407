"""Full text and vectors on both databases."""
