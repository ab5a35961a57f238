"""Decide in CI whether a model is good enough: gates on what was measured, and the reports that say why.

`measured` holds what is known of a model's answers, `applying` applies the gates, and `summary`, `cases` and `page`
write the result as Markdown, JUnit XML and HTML. `failure` writes an error in their place.
"""
