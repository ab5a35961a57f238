"""Render reports for people and programs, and digest them so that a changed answer shows."""
