"""An arm with drives behind a node, for tests and examples."""
