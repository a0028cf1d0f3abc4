// The example settings of HAProxy that we ship, adapted to the proof: other addresses, one server more, fewer
// connections, and a stats socket.
import { readFileSync } from 'node:fs'

const DEPLOY = new URL('../../../packages/server/deploy/', import.meta.url)

export const BACKEND = 'web'
/** As in the shipped settings: longer than HAProxy takes to notice that a server is not ready. */
export const DRAIN_SEC = found(/DRAIN_SEC: "(\d+)"/, readFileSync(new URL('compose.yaml', DEPLOY), 'utf8'))

export interface Frontage {
  port: number
  /** The path of its stats socket. */
  socket: string
  servers: readonly { name: string; port: number }[]
}

export function haproxySettings({ port, socket, servers }: Frontage): string {
  const shipped = readFileSync(new URL('haproxy.cfg', DEPLOY), 'utf8')
  const lines = servers.map((server) => `    server ${server.name} 127.0.0.1:${server.port}`)
  const changes: readonly [RegExp, string][] = [
    [/^global$/m, `global\n    stats socket ${socket} mode 600`],
    // Not every machine that runs a proof allows as many files as it would use.
    [/maxconn \d+/g, 'maxconn 2000'],
    [/bind "\$\{LISTEN.*"/, `bind 127.0.0.1:${port}`],
    [/^ {4}server web1 .*\n {4}server web2 .*$/m, lines.join('\n')],
  ]
  return changes.reduce((text, [what, by]) => {
    found(what, text)
    return text.replace(what, () => by)
  }, shipped)
}

function found(what: RegExp, text: string): string {
  const match = what.exec(text)
  if (!match) throw new Error(`the shipped settings have nothing like ${what.source}`)
  return match[1] ?? match[0]
}
