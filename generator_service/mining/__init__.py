"""Offline jobs over sources: stages as pure functions with counts. Nothing that serves imports this."""
