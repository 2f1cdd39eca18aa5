"""A project's plan as a playbook, and how its tasks stand."""
