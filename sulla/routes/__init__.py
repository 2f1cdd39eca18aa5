"""Routes: gates decide by the words of a message how its turn is answered, before a model is asked."""
