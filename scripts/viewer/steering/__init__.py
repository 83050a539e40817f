"""Steering the tip on the page: pads and keys command a velocity while they are held."""
