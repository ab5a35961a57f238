"""The rule library: laws over lines of values, the places they apply to, and the choices they select."""
