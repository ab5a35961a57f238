"""The whole service on one machine: processes on loopback, one folder of data, nothing to configure.

Each process has its own environment and its own tokens. Files are not separated: all processes run as one user over
one folder. deploy/compose.yaml separates more.
"""
