// Paths that nothing can decode, as long as a request may be: each was once redacted in quadratic time before it was counted.
import { setTimeout as pause } from 'node:timers/promises'
import { crowd, told } from './crowd.ts'
import type { Story } from './lab.ts'

const CONNECTIONS = 20
const PATH = `/status/%${'a.'.repeat(7500)}`

export const paths: Story = {
  name: 'paths',
  run: async ({ port, seconds }) => {
    const say = () => `GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`
    const attack = crowd({ port, address: '127.66.2.1', connections: CONNECTIONS, say })
    await pause(seconds * 1000)
    attack.stop()
    return [`${CONNECTIONS} connections: answered ${told(attack.statuses)}`]
  },
}
