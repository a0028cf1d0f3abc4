#!/bin/sh
# Runs the agent on the Node beside it, from wherever a link leads here.
set -eu
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
here=$(cd "$(dirname "$self")/.." && pwd -P)
if [ "${1-}" = uninstall ]; then
  shift
  exec sh "$here/lib/uninstall.sh" "$here" "$@"
fi
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-64}" MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
exec "$here/bin/node" @FLAGS@ "$here/lib/main.js" "$@"
