"""Photographs as the pictures of an item: facts that are measured on them, and what their annotations name."""
