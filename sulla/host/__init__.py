"""What a capability is handed by the process that it runs in: clock and names, the home, the waker, what a check finds.

It has no door: import its modules.
"""
