"""Language models: prompts, answers, prices, direct calls and the Batch API."""
