"""Interfaces that answer in JSON: news, filings, market data, a broker."""
