"""Where object banks come from and where they are kept: household, builtin, and an operator's own pictures."""
