#!/bin/sh
# A user a process, each bound to its keys; the api counts requests by scripts, the gateway keeps its gates by scripts, scoring waits for a list. The default user is off.
set -eu
umask 077
cat > /tmp/users.acl <<ACL
user default off
user api on >${API_REDIS_PASSWORD} ~rq:* ~tetrad-limit:* resetchannels -@all +@read +@write +@transaction +@connection -@dangerous +info +eval +evalsha +script|load
user gateway on >${GATEWAY_REDIS_PASSWORD} ~tetrad:{gateway}* resetchannels &tetrad:{gateway}|turn|* -@all +@read +@write +@connection -@dangerous +info +time +publish +subscribe +unsubscribe +eval +evalsha +script|load
user scoring on >${SCORING_REDIS_PASSWORD} ~rq:queue:* resetchannels -@all +blpop +@connection
ACL
exec valkey-server --dir /data --appendonly yes --appendfsync everysec --save "" --aclfile /tmp/users.acl
