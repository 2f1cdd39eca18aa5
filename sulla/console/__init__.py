"""The console: one page, in a browser, to see what a daemon does and to talk to it."""
