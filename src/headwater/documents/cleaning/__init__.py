"""Text cleaned of broken characters, boilerplate and repetitions."""
