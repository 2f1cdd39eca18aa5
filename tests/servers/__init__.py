"""Servers for tests: real ones, started on a free port with a folder of their own and stopped by their process id, and
fakes of model services, of the internet and of a bad line, which speak the real wire on a real socket.
"""
