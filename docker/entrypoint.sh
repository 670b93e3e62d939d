#!/bin/sh
# Entry point of the image: the name of a process, or `cli` for the command line, with its arguments
set -eu
process=${1:-}
case $process in
  # As the scripts of package.json start them
  upload | read)
    shift
    exec node --max-semi-space-size=16 "/app/dist/apps/$process/src/main.js" "$@"
    ;;
  ingest | standalone)
    shift
    exec node --max-semi-space-size=8 "/app/dist/apps/$process/src/main.js" "$@"
    ;;
  migrate | cli)
    shift
    exec node "/app/dist/apps/$process/src/main.js" "$@"
    ;;
  *)
    echo "plotline: there is no process called '$process'; there are upload, ingest, read, migrate, standalone and cli" >&2
    exit 2
    ;;
esac
