"""What a console asks of a daemon beside what programs do."""
