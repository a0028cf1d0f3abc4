// Prints a program that runs `dogwatch` as it is built here: in a container, or as /usr/local/bin/dogwatch of a host.
// A setting that is a secret may stand in a file instead: DATABASE_URL_FILE names one that holds DATABASE_URL.
import { fileURLToPath } from 'node:url'
import { pinnedNode } from '../../../scripts/bootstrap.js'
import { SERVER_ENVIRONMENT, SERVER_FLAGS } from '../../../scripts/server-flags.js'

const FROM_FILES = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL', 'SMTP_URL']
const program = fileURLToPath(new URL('../dist/bin/dogwatch.js', import.meta.url))
const flags = [...SERVER_FLAGS, '--disable-warning=ExperimentalWarning']

process.stdout.write(`#!/bin/sh
# Made by packages/server/deploy/launcher.js.
set -eu
for name in ${FROM_FILES.join(' ')}; do
  eval "file=\\\${\${name}_FILE-}"
  if [ -n "$file" ]; then
    value=$(cat "$file")
    export "$name=$value"
  fi
done
${Object.entries(SERVER_ENVIRONMENT)
  .map(([name, value]) => `export ${name}="\${${name}:-${value}}"`)
  .join('\n')}
exec ${[pinnedNode(), ...flags, program].map(quoted).join(' ')} "$@"
`)

function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`
}
