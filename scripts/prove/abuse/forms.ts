// Forms of a million fields, from somebody without a session or form token.
import { setTimeout as pause } from 'node:timers/promises'
import { formPost } from './bytes.ts'
import { crowd, told } from './crowd.ts'
import type { Story } from './lab.ts'

const CONNECTIONS = 20
const PAIRS = 'a&'.repeat(500_000)

export const forms: Story = {
  name: 'forms',
  run: async ({ port, seconds }) => {
    const bytes = formPost({ path: '/sign-in', body: PAIRS })
    const attack = crowd({ port, address: '127.66.3.1', connections: CONNECTIONS, say: () => bytes })
    await pause(seconds * 1000)
    attack.stop()
    return [`${CONNECTIONS} connections: answered ${told(attack.statuses)}`]
  },
}
