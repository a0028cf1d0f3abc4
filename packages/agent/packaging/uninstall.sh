#!/bin/sh
# Removes what the installer installed. Run by: dogwatch-agent uninstall [--purge]
set -eu

say() { printf 'dogwatch: %s\n' "$*"; }
fail() {
  printf 'dogwatch: %s\n' "$*" >&2
  exit 1
}

main() {
  release=$1
  shift
  purge=no
  for word in "$@"; do
    case $word in
      --purge) purge=yes ;;
      --help)
        printf 'usage: dogwatch-agent uninstall [--purge]\n  --purge   also delete the identity and the results that were not uploaded\n'
        exit 0 ;;
      *) fail "unknown flag $word; see --help" ;;
    esac
  done
  facts=$(dirname "$(dirname "$release")")/installed
  [ -f "$facts" ] || fail 'this agent was not installed by the installer; delete its folder instead'
  program= state= settings= link= user= unit=
  . "$facts"
  [ -z "$user" ] || [ "$(id -u)" = 0 ] || fail 'root is required; run this command with sudo'
  if [ -n "$unit" ]; then
    systemctl disable --now dogwatch-agent 2>/dev/null || true
    rm -f "$unit" /etc/sysctl.d/60-dogwatch-agent.conf
    systemctl daemon-reload
  else
    say "stop whatever still runs $program/run: the agent goes on until then"
  fi
  [ -z "$link" ] || rm -f "$link"
  rm -f "$settings"
  rm -rf "$program/releases" "$program/current" "$program/run" "$program/installed"
  if [ "$purge" = yes ]; then
    rm -rf "$state"
    if [ -n "$user" ] && id "$user" >/dev/null 2>&1; then
      if command -v userdel >/dev/null 2>&1; then userdel "$user"; else deluser "$user"; fi
    fi
  else
    say "the identity and unsent results stay in $state: a new installation takes them up. To delete them: rm -r '$state'"
  fi
  rmdir "$program" 2>/dev/null || true
  say 'the agent is uninstalled. If it does not come back, remove its monitor on the server'
}

main "$@"
