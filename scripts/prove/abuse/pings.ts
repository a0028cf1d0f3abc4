// Pings without end: of one URL, of tokens that nobody was given, and with bodies that do not come.
import { setTimeout as pause } from 'node:timers/promises'
import { systemRandom } from '../../../packages/server/dist/runtime/random.js'
import { newToken } from '../../../packages/server/dist/runtime/tokens.js'
import { crowd, told } from './crowd.ts'
import type { Story } from './lab.ts'

const CONNECTIONS = 700
const MADE_UP = 5000

export const pings: Story = {
  name: 'pings',
  run: async ({ port, seconds, attacker }) => {
    // Made before: to make one up costs as much as to refuse it.
    const made_up = Array.from({ length: MADE_UP }, () => newToken('beat', systemRandom))
    let n = 0
    const get = (token: string) => `GET /ping/${token} HTTP/1.1\r\nHost: x\r\n\r\n`
    const ways: Record<string, () => string> = {
      'one URL': () => get(attacker.ping_token),
      'one URL, each ping another': () => get(`${attacker.ping_token}/log?rid=${n++}`),
      'unknown tokens': () => get(made_up[n++ % MADE_UP] ?? ''),
      'slow bodies': () => `POST /ping/${attacker.ping_token} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc`,
    }
    const figures: string[] = []
    let address = 0
    for (const [way, say] of Object.entries(ways)) {
      const attack = crowd({ port, address: `127.66.0.${++address}`, connections: CONNECTIONS, say })
      await pause((seconds * 1000) / Object.keys(ways).length)
      attack.stop()
      figures.push(`${way} on ${CONNECTIONS} connections: answered ${told(attack.statuses)}`)
    }
    return figures
  },
}
