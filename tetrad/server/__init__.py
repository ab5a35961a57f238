"""The parts that our HTTP services share: settings, tokens, problem details, logs, database, object store.

Only the services import this (extra `serving`); the client and the CLI never do.
"""
