#!/usr/bin/env bash
# Handles the variables that we set as the postgres image does: POSTGRES_USER,
# POSTGRES_PASSWORD(_FILE), POSTGRES_DB, POSTGRES_INITDB_ARGS
set -euo pipefail
if [[ $(id -u) == 0 ]]; then
  mkdir -p "$PGDATA"
  chown -R postgres "$PGDATA" /var/lib/postgresql /var/run/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [[ $1 == postgres && ! -s $PGDATA/PG_VERSION ]]; then
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  user=${POSTGRES_USER:-postgres}
  password=${POSTGRES_PASSWORD:-$(cat "${POSTGRES_PASSWORD_FILE:?POSTGRES_PASSWORD is not set}")}
  # shellcheck disable=SC2086 # several arguments
  initdb --username="$user" --pwfile=<(echo "$password") --auth-local=trust --auth-host=scram-sha-256 ${POSTGRES_INITDB_ARGS:-}
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -o "-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql" -w start
  if [[ ${POSTGRES_DB:-$user} != postgres ]]; then
    psql -h /var/run/postgresql -U "$user" -d postgres -v ON_ERROR_STOP=1 -c "create database \"${POSTGRES_DB:-$user}\""
  fi
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@" ${1:+-c "listen_addresses=*" -c unix_socket_directories=/var/run/postgresql}
