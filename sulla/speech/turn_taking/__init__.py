"""When somebody has finished speaking: chunks become turns. Pure."""
