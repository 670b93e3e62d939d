#!/bin/sh
# As the versitygw image: arguments are the program's; without any, VGW_BACKEND and VGW_BACKEND_ARG say where the objects are
set -e
[ "$#" -gt 0 ] || set -- "${VGW_BACKEND:?}" ${VGW_BACKEND_ARG:+"$VGW_BACKEND_ARG"}
exec versitygw "$@"
