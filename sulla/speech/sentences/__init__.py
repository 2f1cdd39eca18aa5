"""Streamed text as sentences that can be spoken one by one."""
