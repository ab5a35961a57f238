"""Scenes of people: who and what stands about in a place seen from above, as picture A or C."""
