"""What decides in channels: who may, what is sent and when. Pure, all of it."""
