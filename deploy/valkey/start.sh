#!/bin/sh
# A user a process, each bound to its keys; the api and the gateway count by scripts, scoring waits for a list. The default user is off.
set -eu
umask 077
# Bulk workers have number 1 to themselves. Before Valkey 9.1 a user can't be bound to a number: there, scoring's queue of
# notices is in their reach, which nobody loses work by.
number="db=1"
case "$(valkey-server --version)" in *v=[78].*|*v=9.0.*) number="" ;; esac
cat > /tmp/users.acl <<ACL
user default off
user api on >${API_REDIS_PASSWORD} ~rq:* ~tetrad-limit:* resetchannels -@all +@read +@write +@transaction +@connection -@dangerous -@scripting +info +eval +evalsha +script|load
user gateway on >${GATEWAY_REDIS_PASSWORD} resetchannels ~tetrad:{gateway}* &tetrad:{gateway}* -@all +@read +@write +@transaction +@connection +@pubsub -@dangerous -@scripting +info +time +eval +evalsha +script|load
user scoring on >${SCORING_REDIS_PASSWORD} ~rq:queue:* resetchannels -@all +blpop +@connection
user bulk on >${BULK_REDIS_PASSWORD} resetchannels ~rq:* &rq:pubsub:* ${number:+resetdbs} ${number} -@all +@read +@write +@transaction +@connection +@pubsub -@dangerous -@scripting +info +eval +evalsha +script|load
ACL
exec valkey-server --dir /data --appendonly yes --appendfsync everysec --save "" --aclfile /tmp/users.acl
