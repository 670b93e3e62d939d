#!/bin/sh
# Writes secrets.env with new random passwords for the dev overlay. Run it once.
set -eu
umask 077
cd "$(dirname "$0")"
if [ -e secrets.env ]; then
  echo 'secrets.env is there already; its passwords are those of the database.' >&2
  exit 1
fi
secret() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
postgres=$(secret) migrator=$(secret) app=$(secret) ingest=$(secret) sweeper=$(secret) queue=$(secret)
cat >secrets.env <<END
postgres-password=$postgres
queue-password=$queue
administrator-database-url=postgres://postgres:$postgres@postgres:5432/postgres
migrator-database-url=postgres://plotline_migrator:$migrator@postgres:5432/plotline
app-database-url=postgres://plotline_app:$app@postgres:5432/plotline
ingest-database-url=postgres://plotline_ingest:$ingest@postgres:5432/plotline
sweeper-database-url=postgres://plotline_sweeper:$sweeper@postgres:5432/plotline
redis-url=redis://:$queue@queue:6379/0
s3-access-key-id=$(secret)
s3-secret-access-key=$(secret)
metrics-token=$(secret)
secret-key=$(secret)
END
