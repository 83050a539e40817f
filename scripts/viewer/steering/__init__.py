"""Steering the tip on the page: pads and keys that command a velocity while they are held."""
