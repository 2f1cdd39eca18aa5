"""What an editor is told of a playbook while it is written."""
