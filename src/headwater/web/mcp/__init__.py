"""MCP: a few tools for language models, with freshness, evidence, cursors and a limit on the size of answers."""
