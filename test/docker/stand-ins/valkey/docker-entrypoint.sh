#!/bin/sh
# As the valkey image: options alone are those of valkey-server; whoever comes as root goes on as valkey; protected mode is off in a container
set -e
case "$1" in -*|*.conf) set -- valkey-server "$@" ;; esac
[ "$1" = valkey-server ] && set -- "$@" --protected-mode no
if [ "$(id -u)" = 0 ] && [ "$1" = valkey-server ]; then
  chown -R valkey /data
  exec setpriv --reuid=valkey --regid=valkey --clear-groups "$@"
fi
exec "$@"
