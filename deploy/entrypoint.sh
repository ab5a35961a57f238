#!/bin/sh
# Start the service this image was built for, or what the arguments say: COMMAND ... . WORKERS sets its processes, and
# STOP_SECONDS how long requests in progress may take to end when it is stopped.
set -eu
ulimit -S -n "$(ulimit -H -n)"
# Where the processes of a service keep their numbers, which /metrics sums.
export PROMETHEUS_MULTIPROC_DIR="${PROMETHEUS_MULTIPROC_DIR:-/tmp/metrics}"
[ "$#" -eq 0 ] || exec "$@"
serve() {
    # As tetrad/server/embedded/programs.py has the limits.
    exec python -m granian --interface asgi --factory "$1" --host 0.0.0.0 --port 8000 \
        --http 1 --backlog 4096 --backpressure 16384 --http1-header-read-timeout 20000 \
        --workers "${WORKERS:-1}" --respawn-failed-workers --workers-kill-timeout "${STOP_SECONDS:-5}" --no-ws --log-level warning
}
case "${SERVICE}" in
    api) serve api.app:create_app ;;
    generator) serve generator_service.app:create_app ;;
    gateway) serve inference_gateway.app:create_app ;;
    # An image of bulk workers serves practice where it has the generator's settings: both know what writes shards.
    bulk) [ -z "${TETRAD_GENERATOR_ROLE:-}" ] || serve generator_service.app:create_app
        exec python -m generator_service.datasets.worker ;;
    scoring) exec python -m scoring_service.jobs.worker ;;
    *) echo "SERVICE is '${SERVICE}'; build the image with SERVICE=api, generator, bulk, scoring or gateway" >&2; exit 1 ;;
esac
