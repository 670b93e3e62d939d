#!/bin/sh
# Entry point of the image: the name of a process, or `cli` for the command line, with its arguments
set -eu
process=${1:-}
case $process in
  # With the flags of the scripts of package.json (test/repository/node-flags.spec.ts). They bound half of Node's young generation, in MiB: left to itself it grows with many
  # clients at once, and a process takes 70 to 120 MiB more. The flag goes over the limit that ingest threads are started with, too (24 MiB, of which a half is a third):
  # so 8 where there are such threads, and 16 where there are none.
  upload | read)
    shift
    exec node --max-semi-space-size=16 "/app/dist/apps/$process/src/main.js" "$@"
    ;;
  ingest | standalone)
    shift
    exec node --max-semi-space-size=8 "/app/dist/apps/$process/src/main.js" "$@"
    ;;
  migrate | admin | cli)
    shift
    exec node "/app/dist/apps/$process/src/main.js" "$@"
    ;;
  *)
    echo "plotline: there is no process called '$process'; there are upload, ingest, read, migrate, admin, standalone and cli" >&2
    exit 2
    ;;
esac
