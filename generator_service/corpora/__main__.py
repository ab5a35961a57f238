import sys

from generator_service.corpora.commands import main

sys.exit(main(sys.argv[1:]))
