"""The properties that every benchmark has: a module for each thing that they are about.

`generator_service.proving.conformance` names them. A check yields problems in words, and nothing when it holds.
"""
