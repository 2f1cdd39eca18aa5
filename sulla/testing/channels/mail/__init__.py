"""A fake of a mail provider: IMAP4rev1 with IDLE, and SMTP with authentication, on real sockets."""
