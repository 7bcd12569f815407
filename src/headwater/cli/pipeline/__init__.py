"""Commands that run the pipeline and manage its sources."""
