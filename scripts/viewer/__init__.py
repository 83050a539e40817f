"""The page in the browser; its program is `view.py`."""
