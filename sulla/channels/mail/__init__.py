"""E-mail, by IMAP and SMTP."""
