"""API adapters: news, filings, prices, a broker account."""
