// The shell program that runs `dogwatch`, wherever it is installed.
// A setting that is a secret may stand in a file instead: DATABASE_URL_FILE names one that holds DATABASE_URL.
import { SERVER_ENVIRONMENT, SERVER_FLAGS } from '../../../scripts/server-flags.js'

const FROM_FILES = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL', 'SMTP_URL']
const FLAGS = [...SERVER_FLAGS, '--disable-warning=ExperimentalWarning']

/**
 * `node` and `program` are words of a shell command, quoted where they need it. `before` is run first; `flags` are more of Node.
 * @param {{ madeBy: string, before?: string, node: string, flags?: readonly string[], program: string }} given
 */
export function launcherText({ madeBy, before = '', node, flags = [], program }) {
  return `#!/bin/sh
# ${madeBy}
set -eu
${before}for name in ${FROM_FILES.join(' ')}; do
  eval "file=\\\${\${name}_FILE-}"
  if [ -n "$file" ]; then
    value=$(cat "$file")
    export "$name=$value"
  fi
done
${Object.entries(SERVER_ENVIRONMENT)
  .map(([name, value]) => `export ${name}="\${${name}:-${value}}"`)
  .join('\n')}
exec ${node} ${[...FLAGS, ...flags].map(quoted).join(' ')} ${program} "$@"
`
}

export function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`
}
