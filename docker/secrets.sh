#!/bin/sh
# Prints new random secrets for docker-compose.yml. Run it once, before the first start:
#   (umask 077 && docker/secrets.sh >.env)
set -eu
for name in POSTGRES_PASSWORD MIGRATOR_PASSWORD APP_PASSWORD INGEST_PASSWORD SWEEPER_PASSWORD QUEUE_PASSWORD S3_ACCESS_KEY_ID S3_SECRET_ACCESS_KEY S3_WRITER_ACCESS_KEY_ID S3_WRITER_SECRET_ACCESS_KEY S3_READER_ACCESS_KEY_ID S3_READER_SECRET_ACCESS_KEY METRICS_TOKEN SECRET_KEY; do
  echo "$name=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
done
