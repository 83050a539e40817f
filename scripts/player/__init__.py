"""A skeleton that is played with in the browser; `play.py` is its program."""
