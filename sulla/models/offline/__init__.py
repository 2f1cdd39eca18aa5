"""The stand-in that answers by rules where there is no model."""
