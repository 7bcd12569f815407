"""Templates and texts of the pages of this recipe."""
