"""Records, recipe, outcomes, errors and ports. Imports nothing else of Headwater."""
