#!/bin/sh
# Entry point of the image. Arguments: the name of a process, or `cli` for the command line, and its own
# arguments.
set -eu
process=${1:-}
case $process in
  # The same flags as in the scripts of package.json (test/repository/node-flags.spec.ts). They limit one
  # half (semi-space) of Node's young generation, in MiB: without a limit it grows with the number of
  # concurrent clients, by 70 to 120 MiB per process. The flag also overrides the limit of ingest threads
  # (24 MiB, a third of it per half), so it is 8 for processes with such threads and 16 for others.
  upload | read)
    shift
    exec node --max-semi-space-size=16 "/app/dist/apps/$process/src/main.js" "$@"
    ;;
  ingest)
    shift
    exec node --max-semi-space-size=8 "/app/dist/apps/$process/src/main.js" "$@"
    ;;
  # Node collects garbage when the heap has doubled since the last time (growth of 100 %). By default
  # it may grow to four times its size, which takes up to 250 MiB more while clients send their largest
  # requests.
  standalone)
    shift
    exec node --heap-growing-percent=100 --max-semi-space-size=8 "/app/dist/apps/$process/src/main.js" "$@"
    ;;
  migrate | admin | cli)
    shift
    exec node "/app/dist/apps/$process/src/main.js" "$@"
    ;;
  *)
    echo "plotline: unknown process '$process'; use upload, ingest, read, migrate, admin, standalone or cli" >&2
    exit 2
    ;;
esac
