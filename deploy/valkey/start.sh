#!/bin/sh
# A user a process, each bound to its keys; the api and the gateway count by scripts, scoring waits for a list. The default user is off.
set -eu
umask 077
cat > /tmp/users.acl <<ACL
user default off
user api on >${API_REDIS_PASSWORD} ~rq:* ~tetrad-limit:* resetchannels -@all +@read +@write +@transaction +@connection -@dangerous -@scripting +info +eval +evalsha +script|load
user gateway on >${GATEWAY_REDIS_PASSWORD} resetchannels ~tetrad:{gateway}* &tetrad:{gateway}* -@all +@read +@write +@transaction +@connection +@pubsub -@dangerous -@scripting +info +time +eval +evalsha +script|load
user scoring on >${SCORING_REDIS_PASSWORD} ~rq:queue:* resetchannels -@all +blpop +@connection
ACL
exec valkey-server --dir /data --appendonly yes --appendfsync everysec --save "" --aclfile /tmp/users.acl
