"""The door to the journal: conversations, and examples for training, as lines of JSON."""

from sulla.journal.journal import Journal, journal_follower
from sulla.journal.runs import Training
from sulla.journal.shelf import Shelf
from sulla.journal.training import Frame

__all__ = ["Frame", "Journal", "Shelf", "Training", "journal_follower"]
