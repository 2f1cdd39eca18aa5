"""Asking a model: what a request holds, how it is fitted, tried again, shown as it comes, and summed up."""
