"""What clients of OpenAI's chat completions and responses say, and are told."""
