"""A port for a server of one test."""

from tetrad.server.embedded.data_directory import free_ports


def free_port() -> int:
    return free_ports(1)[0]
