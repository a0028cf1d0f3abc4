// A target that takes exactly this long for each response, and records its own delays: slow-target.ts CERT_FILE KEY_FILE SLEEP_MS.
// It sends its ports once it listens.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { WORDS } from './checks.ts'

const [cert_file = '', key_file = '', sleep_ms = '0'] = process.argv.slice(2)
let late: number[] = []

const answer: RequestListener = (_req, res) => {
  const due = performance.now() + Number(sleep_ms)
  setTimeout(() => {
    late.push(performance.now() - due)
    res.end(WORDS)
  }, Number(sleep_ms))
}

const servers = [
  createServer(answer),
  createSecureServer({ cert: readFileSync(cert_file), key: readFileSync(key_file), minVersion: 'TLSv1.3' }, answer),
]
for (const server of servers) await once(server.listen(0, '127.0.0.1', 4096), 'listening')
// Any message asks for the delays since the previous one, in milliseconds.
process.on('message', () => {
  process.send?.({ late })
  late = []
})
process.on('disconnect', () => process.exit())
const [http, https] = servers.map((server) => (server.address() as AddressInfo).port)
process.send?.({ http, https })
