"""Which blocks of a page are its own text: features, a trained network, and the selection."""
