"""What the tests of playbooks stand on."""
