"""The rule library: laws over lines of values, where they apply, and which choices they select."""
