"""An interactive skeleton in the browser; its program is `play.py`."""
