#!/bin/sh
# Make the sources that containers start without: people and things, and packaged photographs. What is there stays.
# One that can't be made does not keep the other from it; then the exit status is 1.
status=0
for source in people photographs; do
    python -m generator_service.commands build "$source" || status=1
done
exit "$status"
