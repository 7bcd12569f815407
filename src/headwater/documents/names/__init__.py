"""Names of persons, organisations and countries in texts, without a model."""
