#!/bin/sh
# Installs the Dogwatch agent on Linux or macOS, enrolls it and starts it. Run it again to upgrade.
# Served by a Dogwatch server, which has filled in its address and the checksums of its archives.
set -eu

SERVER=@SERVER@
VERSION=@VERSION@
# One line for each archive: platform, SHA-256, file.
ARCHIVES='@ARCHIVES@'

usage() {
  cat <<TEXT
usage: sh install.sh --region R --country C --city Y [--name N] [--monitor-id ID] [--prefix DIR]
  The enrollment token is read from standard input, or from --enrollment-token-file FILE.
  --prefix DIR   install everything in DIR, without root, a system user or a service
Without a token, running this script again upgrades the agent and keeps its settings, identity and unsent results.
TEXT
}

say() { printf 'dogwatch: %s\n' "$*"; }
fail() {
  printf 'dogwatch: %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# Quotes a value so that both a shell and systemd read it back unchanged.
quoted() { printf '"%s"' "$(printf %s "$1" | sed 's/["\\`$]/\\&/g')"; }

# On Linux everything but an installation with --prefix takes root; the token stays on standard input.
become_root() {
  [ "$(uname -s)" = Linux ] && [ "$(id -u)" != 0 ] || return 0
  for word in "$@"; do
    case $word in --prefix | --help) return 0 ;; esac
  done
  if has sudo && [ -f "$0" ]; then exec sudo sh "$0" "$@"; fi
  fail 'root is required; run this command with sudo, or pass --prefix DIR to install without root'
}

main() {
  become_root "$@"
  name= region= country= city= monitor_id= token_file= prefix= temporary= is_hidden=
  while [ $# -gt 0 ]; do
    case $1 in
      --help) usage; exit 0 ;;
      --name | --region | --country | --city | --monitor-id | --enrollment-token-file | --prefix)
        [ $# -gt 1 ] || fail "$1 needs a value"
        case $1 in
          --name) name=$2 ;;
          --region) region=$2 ;;
          --country) country=$2 ;;
          --city) city=$2 ;;
          --monitor-id) monitor_id=$2 ;;
          --enrollment-token-file) token_file=$2 ;;
          --prefix) prefix=$2 ;;
        esac
        shift 2 ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  find_platform
  find_places
  need_programs
  temporary=$(mktemp -d)
  trap clean_up EXIT
  trap 'exit 1' HUP INT TERM
  download
  make_user
  allow_ping
  put_in_place
  write_settings
  # Nothing else may hold the state directory while the agent enrolls.
  stop_service
  switch_over
  enroll
  start_service
}

clean_up() {
  rm -rf "$temporary"
  # Whoever ends the prompt for the token gets the terminal back as it was.
  if [ -n "$is_hidden" ]; then stty echo; fi
}

find_platform() {
  os=$(uname -s)
  arch=$(uname -m)
  case $os in Linux) os=linux ;; Darwin) os=darwin ;; *) fail "$os is not supported; see $SERVER/monitors/new" ;; esac
  case $arch in x86_64 | amd64) arch=x64 ;; aarch64 | arm64) arch=arm64 ;; *) fail "the architecture $arch is not supported" ;; esac
  platform=$os-$arch
  # macOS has no system users that are made by one command: there the agent belongs to the person who installs it.
  if [ "$os" = darwin ] && [ -z "$prefix" ]; then prefix=$HOME/.dogwatch-agent; fi
}

find_places() {
  if [ -n "$prefix" ]; then
    mkdir -p "$prefix"
    prefix=$(cd "$prefix" && pwd -P)
    program=$prefix state=$prefix/state settings=$prefix/agent.env link= user=
  else
    program=/opt/dogwatch-agent state=/var/lib/dogwatch-agent settings=/etc/dogwatch-agent.env
    link=/usr/local/bin/dogwatch-agent user=dogwatch-agent
  fi
  unit=
  if [ -z "$prefix" ] && [ -d /run/systemd/system ] && has systemctl; then
    unit=/etc/systemd/system/dogwatch-agent.service
  fi
}

need_programs() {
  for one in tar gzip sed mktemp; do has "$one" || fail "this needs $one, which is not installed"; done
  has curl || has wget || fail 'this needs curl or wget'
  has sha256sum || has shasum || fail 'this needs sha256sum or shasum'
  if [ ! -f "$settings" ]; then
    [ -n "$region" ] && [ -n "$country" ] && [ -n "$city" ] || fail 'the location of this machine is missing; pass --region, --country and --city'
  fi
}

download() {
  line=$(printf '%s\n' "$ARCHIVES" | grep "^$platform ") ||
    fail "$SERVER has no archive for $platform. On the server, run: npm run bundle -w @dogwatch/agent -- --platform $platform"
  sum=$(printf %s "$line" | cut -d' ' -f2)
  file=$(printf %s "$line" | cut -d' ' -f3)
  release=$program/releases/$VERSION-$(printf %s "$sum" | cut -c1-12)
  [ ! -f "$release/VERSION" ] || return 0
  say "downloading $SERVER/install/$file"
  if has curl; then
    curl -fsSL --retry 3 -o "$temporary/$file" "$SERVER/install/$file" || fail 'the download failed'
  else
    wget -q -O "$temporary/$file" "$SERVER/install/$file" || fail 'the download failed'
  fi
  if has sha256sum; then found=$(sha256sum <"$temporary/$file"); else found=$(shasum -a 256 <"$temporary/$file"); fi
  [ "${found%% *}" = "$sum" ] || fail "the checksum of $file is wrong: expected $sum, found ${found%% *}. Nothing was installed."
  say 'the checksum is right'
  mkdir "$temporary/release"
  tar -xzf "$temporary/$file" -C "$temporary/release"
  "$temporary/release"/*/bin/dogwatch-agent --version >/dev/null 2>"$temporary/fault" ||
    fail "the agent does not run on this machine (it needs glibc 2.28 or newer, and libstdc++): $(head -n 1 "$temporary/fault")"
}

make_user() {
  if [ -z "$user" ] || id "$user" >/dev/null 2>&1; then return 0; fi
  say "creating the system user $user"
  if has useradd; then
    useradd --system --user-group --no-create-home --home-dir "$state" --shell "$(command -v nologin || echo /bin/false)" "$user"
  elif has adduser && has addgroup; then
    addgroup -S "$user" && adduser -S -D -H -h "$state" -s /sbin/nologin -G "$user" "$user"
  else
    fail "this needs useradd or adduser, or an existing user named $user"
  fi
}

# Lets the agent's group send echo requests, if no group may yet.
allow_ping() {
  [ -n "$unit" ] && has sysctl || return 0
  [ "$(sysctl -n net.ipv4.ping_group_range 2>/dev/null | tr -s '\t ' ' ')" = '1 0' ] || return 0
  gid=$(id -g "$user")
  printf 'net.ipv4.ping_group_range = %s %s\n' "$gid" "$gid" > /etc/sysctl.d/60-dogwatch-agent.conf
  sysctl -q -p /etc/sysctl.d/60-dogwatch-agent.conf || say 'the agent may not ping: see Ping in its README'
}

put_in_place() {
  mkdir -p "$program/releases"
  if [ ! -f "$release/VERSION" ]; then
    # First under another name: a directory that is named for a release is whole.
    rm -rf "$release" "$release.new"
    cp -R "$temporary/release"/* "$release.new"
    mv "$release.new" "$release"
  fi
  [ -n "$prefix" ] || chown -Rh 0:0 "$release"
  chmod -R go-w "$release"
  mkdir -p "$state"
  chmod 700 "$state"
  # Never through a link, which the agent's user could have made.
  [ -z "$user" ] || chown -Rh "$user:$user" "$state"
}

# Settings of an earlier installation stay; a flag that is given changes its own setting only.
write_settings() {
  touch "$settings"
  chmod 644 "$settings"
  setting SERVER "$SERVER"
  setting STATE_DIR "$state"
  [ -z "$name" ] || setting NAME "$name"
  [ -z "$region" ] || setting REGION "$region"
  [ -z "$country" ] || setting COUNTRY "$country"
  [ -z "$city" ] || setting CITY "$city"
  [ -z "$monitor_id" ] || setting MONITOR_ID "$monitor_id"
}

setting() {
  { grep -v "^DOGWATCH_AGENT_$1=" "$settings" || true; } >"$temporary/settings"
  printf 'DOGWATCH_AGENT_%s=%s\n' "$1" "$(quoted "$2")" >>"$temporary/settings"
  cat "$temporary/settings" >"$settings"
}

switch_over() {
  was=$(readlink "$program/current" 2>/dev/null || true)
  ln -sfn "$release" "$program/current"
  cat >"$program/run" <<TEXT
#!/bin/sh
# Runs the agent with its settings$([ -z "$user" ] || printf ', as the user %s' "$user"). Written by the installer.
set -eu
set -a
. '$settings'
set +a
TEXT
  # A service manager that starts it as its own user may do so, and root steps down to that user.
  if [ -n "$user" ]; then
    cat >>"$program/run" <<TEXT
if [ "\$(id -u)" = 0 ]; then
  if command -v setpriv >/dev/null 2>&1; then
    exec setpriv --reuid=$user --regid=$user --clear-groups --no-new-privs -- '$program/current/bin/dogwatch-agent' "\$@"
  fi
  exec chroot --userspec=$user:$user / '$program/current/bin/dogwatch-agent' "\$@"
fi
TEXT
  fi
  printf 'exec '\''%s'\'' "$@"\n' "$program/current/bin/dogwatch-agent" >>"$program/run"
  chmod 755 "$program/run"
  {
    printf 'program=%s\n' "$(quoted "$program")"
    printf 'state=%s\n' "$(quoted "$state")"
    printf 'settings=%s\n' "$(quoted "$settings")"
    printf 'link=%s\n' "$(quoted "$link")"
    printf 'user=%s\n' "$(quoted "$user")"
    printf 'unit=%s\n' "$(quoted "$unit")"
  } >"$program/installed"
  if [ -n "$link" ]; then
    mkdir -p "$(dirname "$link")"
    ln -sfn "$program/current/bin/dogwatch-agent" "$link"
  fi
  for old in "$program/releases"/*; do
    # The release before stays, for whoever wants to go back.
    case $old in "$release" | "$was") ;; *) rm -rf "$old" ;; esac
  done
}

enroll() {
  if [ -f "$state/identity.json" ] && [ -z "$monitor_id" ]; then
    say "this machine is already enrolled and keeps its identity and unsent results"
    "$program/run" enroll </dev/null ||
      say 'the agent could not sync; the line above says why. Nothing is lost: after a restart it will keep trying'
    return 0
  fi
  if [ -n "$token_file" ]; then
    "$program/run" enroll <"$token_file" || not_enrolled
  elif [ -t 0 ]; then
    printf 'Enrollment token: ' >&2
    is_hidden=yes
    stty -echo
    read -r token || true
    stty echo
    is_hidden=
    printf '\n' >&2
    printf '%s\n' "$token" | "$program/run" enroll || not_enrolled
  else
    "$program/run" enroll || not_enrolled
  fi
}

not_enrolled() {
  fail 'the agent is installed but not enrolled; run the command again with a token from the page “Add a monitor”'
}

stop_service() {
  [ -n "$unit" ] || return 0
  systemctl stop dogwatch-agent 2>/dev/null || true
}

start_service() {
  if [ -z "$unit" ]; then
    say "version $VERSION is installed. This machine has no systemd$([ -z "$prefix" ] || printf ' that this installation uses'); let your service manager run:"
    printf '\n    %s/run\n\n' "$program"
    return 0
  fi
  install -m 0644 "$release/lib/dogwatch-agent.service" "$unit"
  systemctl daemon-reload
  systemctl enable dogwatch-agent 2>/dev/null
  systemctl restart dogwatch-agent
  say "version $VERSION is installed and runs as the service dogwatch-agent (logs: journalctl -u dogwatch-agent)"
}

# Last, so that a script that was cut off does nothing.
main "$@"
