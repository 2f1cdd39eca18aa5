"""Playbooks: files of steps, read and checked, and run so that a death in between neither loses nor repeats a step."""
