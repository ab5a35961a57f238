"""Reports as everyone reads them: rendered for people, and digested so that a changed answer shows."""
