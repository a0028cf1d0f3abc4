// Connections to a port from a process of its own, all at once: `PORT COUNT`. Tells when all are under way.
import { connect } from 'node:net'

const [port, count] = process.argv.slice(2).map(Number)
let made = 0
for (let n = 0; n < (count ?? 0); n++) {
  connect({ port: port ?? 0, host: '127.0.0.1' })
    .on('error', () => undefined)
    .on('connect', () => ++made === count && process.send?.('made'))
}
