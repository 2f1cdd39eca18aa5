"""What Sulla costs, each figure beside a limit measured in the same run: ``python -m bench --list``."""
