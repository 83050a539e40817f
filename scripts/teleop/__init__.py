"""Steering by keys: the parts of keys.py."""
