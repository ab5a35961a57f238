#!/bin/sh
# One bucket and two users: scoring writes reports, the api reads them and stores what is to be verified.
set -eu
mc alias set store http://objects:9000 admin "$OBJECTS_ADMIN_SECRET"
mc mb --ignore-existing store/tetrad
mc admin user add store api "$API_OBJECTS_SECRET"
mc admin user add store scoring "$SCORING_OBJECTS_SECRET"
# Attaching what is attached is an error to mc: then the user must have it.
for user in api scoring; do
    mc admin policy attach store readwrite --user "$user" && continue
    case "$(mc admin user info store "$user")" in *readwrite*) ;; *) exit 1 ;; esac
done
