"""One cycle of the crypto recipe, compared with a plain script."""
