"""Fetching from the web: addresses that may be asked, exchanges, pages."""
