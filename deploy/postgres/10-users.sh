#!/bin/bash
# Two databases, four users: the generator's record is its own; scoring reaches its ledger in the api's tables and bulk
# workers the data sets there, the api nothing else.
set -euo pipefail
psql --username postgres --set ON_ERROR_STOP=1 \
    --set api="$API_DATABASE_PASSWORD" --set generator="$GENERATOR_DATABASE_PASSWORD" \
    --set scoring="$SCORING_DATABASE_PASSWORD" --set bulk="$BULK_DATABASE_PASSWORD" <<'SQL'
CREATE USER api PASSWORD :'api';
CREATE USER generator PASSWORD :'generator';
CREATE USER scoring PASSWORD :'scoring';
CREATE USER bulk PASSWORD :'bulk';
CREATE DATABASE tetrad OWNER api;
CREATE DATABASE generator OWNER generator;
REVOKE CONNECT ON DATABASE tetrad FROM PUBLIC;
REVOKE CONNECT ON DATABASE generator FROM PUBLIC;
GRANT CONNECT ON DATABASE tetrad TO scoring, bulk;
\connect tetrad
-- The api makes the tables when it starts, and then grants scoring its ledger (TETRAD_API_SCORING_ROLE), and bulk
-- workers theirs (TETRAD_API_BULK_ROLE).
GRANT ALL ON SCHEMA public TO api;
GRANT USAGE ON SCHEMA public TO scoring, bulk;
SQL
