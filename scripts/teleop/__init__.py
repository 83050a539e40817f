"""Steering by keys: what keys.py is made of."""
