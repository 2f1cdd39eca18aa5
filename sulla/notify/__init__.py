"""Notices out of the house: to mail, chat services and push, wherever people are."""
