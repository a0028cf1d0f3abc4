// More idle connections than the server accepts, from one address.
import { setTimeout as pause } from 'node:timers/promises'
import { crowd } from './crowd.ts'
import type { Story } from './lab.ts'

const CONNECTIONS = 10_300

export const connections: Story = {
  name: 'connections',
  run: async ({ port, seconds }) => {
    const attack = crowd({ port, address: '127.66.1.1', connections: CONNECTIONS })
    await pause(seconds * 1000)
    attack.stop()
    return [
      `${CONNECTIONS} silent connections: opened ${attack.opened()} times, closed by the server ${attack.closed()} times`,
    ]
  },
}
