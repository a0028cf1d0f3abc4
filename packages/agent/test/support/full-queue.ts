// A server that takes no more connections until it is told to: packets that ask for one are lost meanwhile.
import { readSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((_, res) => res.end('all is well'))
server.listen({ host: process.argv[2], port: 0, backlog: 1 }, () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
  // Nothing is accepted while this waits.
  setImmediate(() => readSync(0, Buffer.alloc(1)))
})
