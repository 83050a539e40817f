"""The page in the browser; `view.py` is its program."""
