#!/bin/sh
# Works like the valkey image: passes options without a command to valkey-server, switches from root to
# the user valkey, and turns off protected mode in a container.
set -e
case "$1" in -*|*.conf) set -- valkey-server "$@" ;; esac
[ "$1" = valkey-server ] && set -- "$@" --protected-mode no
if [ "$(id -u)" = 0 ] && [ "$1" = valkey-server ]; then
  chown -R valkey /data
  exec setpriv --reuid=valkey --regid=valkey --clear-groups "$@"
fi
exec "$@"
