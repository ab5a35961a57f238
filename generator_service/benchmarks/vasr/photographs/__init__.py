"""The track `photographs`: analogies that mining found in an operator's annotated photographs."""
