#!/bin/sh
# As root, Chromium raises its own priority (nice -8), and services and databases that are tested beside it wait for
# seconds. Without this capability it cannot. Where there is no setpriv, or no root, it is started as it is.
keep="--bounding-set=-sys_nice --inh-caps=-sys_nice"
# shellcheck disable=SC2086
if setpriv $keep true 2>/dev/null; then
  exec setpriv $keep "$CHROMIUM_PROGRAM" "$@"
fi
exec "$CHROMIUM_PROGRAM" "$@"
