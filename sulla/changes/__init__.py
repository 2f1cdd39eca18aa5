"""Changes of commands that wait for a person: whoever may say yes sees them, keeps them or gives them up."""
