"""Procedures: guided exercises that a person is led through step by step, over as many turns as it takes."""
