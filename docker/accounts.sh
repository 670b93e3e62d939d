#!/bin/sh
# Creates the accounts of the processes in versitygw, and the bucket, which belongs to the
# administrator. docker-compose.yml runs it at each start; a changed secret replaces the earlier one.
set -eu
account() {
  if versitygw admin list-users | grep -qw "$1"; then
    versitygw admin update-user --access "$1" --secret "$2" --role user
  else
    versitygw admin create-user --access "$1" --secret "$2" --role user
  fi
}
account "$WRITER_ACCESS_KEY_ID" "$WRITER_SECRET_ACCESS_KEY"
account "$READER_ACCESS_KEY_ID" "$READER_SECRET_ACCESS_KEY"
versitygw admin list-buckets | grep -qw plotline || versitygw admin create-bucket --bucket plotline --owner "$ADMIN_ACCESS_KEY_ID"
