"""`python -m tetrad`: the command line."""

from tetrad.cli import main

main()
