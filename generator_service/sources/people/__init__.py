"""People and things as a source: posed people and cut-out things as layers, drawn once, when the service is up."""
