#!/bin/sh
# Make the sources that are named as arguments, by default people and things, which containers start without. What is
# there stays. `people photographs` makes packaged photographs, too.
# One that can't be made does not keep the other from it; then the exit status is 1.
status=0
[ "$#" -gt 0 ] || set -- people
for source in "$@"; do
    python -m generator_service.commands build "$source" || status=1
done
exit "$status"
