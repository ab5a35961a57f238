"""The household bank: models of Debian's `sweethome3d-furniture`, drawn by our own code."""
