"""Speech: from partial transcripts to turns, each word in one of them, kept until they are delivered."""
