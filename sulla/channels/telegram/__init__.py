"""Telegram, by its Bot API."""
