#!/bin/sh
# Works like the versitygw image: passes arguments to the program; without arguments, VGW_BACKEND and
# VGW_BACKEND_ARG say where the objects are.
set -e
[ "$#" -gt 0 ] || set -- "${VGW_BACKEND:?}" ${VGW_BACKEND_ARG:+"$VGW_BACKEND_ARG"}
exec versitygw "$@"
