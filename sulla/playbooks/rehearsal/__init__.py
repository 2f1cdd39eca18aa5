"""Trying a playbook without effects: dry runs and the cases of its tests."""
