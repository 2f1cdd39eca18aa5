"""Speech over an answer, and what the person had heard of it by then."""
