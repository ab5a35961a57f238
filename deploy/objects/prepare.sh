#!/bin/sh
# One bucket and two users, each with the rights of its file: scoring writes reports, the api reads them, stores what is
# to be verified, and deletes a team's. Neither may write over the other's.
set -eu
mc alias set store http://objects:9000 admin "$OBJECTS_ADMIN_SECRET"
mc mb --ignore-existing store/tetrad
mc admin user add store api "$API_OBJECTS_SECRET"
mc admin user add store scoring "$SCORING_OBJECTS_SECRET"
for user in api scoring; do
    mc admin policy create store "tetrad-$user" "/policies/$user.json"
    # Attaching what is attached is an error to mc: then the user must have it.
    mc admin policy attach store "tetrad-$user" --user "$user" || true
    # Earlier releases gave both users the right to write everywhere.
    mc admin policy detach store readwrite --user "$user" || true
    given="$(mc admin user info store "$user")"
    case "$given" in *readwrite*) echo "$user may still write everywhere" >&2; exit 1 ;; *"tetrad-$user"*) ;; *) exit 1 ;; esac
done
