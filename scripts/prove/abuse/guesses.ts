// Guesses at a person's password from many addresses at once.
import { setTimeout as pause } from 'node:timers/promises'
import { formPost, readForm } from './bytes.ts'
import { type Crowd, crowd, told } from './crowd.ts'
import type { Story } from './lab.ts'

const ADDRESSES = 100
const CONNECTIONS_EACH = 2

export const guesses: Story = {
  name: 'guesses',
  run: async ({ port, seconds }) => {
    const { csrf, cookie } = await readForm(port, '/sign-in')
    let n = 0
    const say = () => {
      const guess = { csrf, to: '', email: 'honest@example.com', password: `a guess, number ${n++}` }
      return formPost({ path: '/sign-in', cookie, body: new URLSearchParams(guess).toString() })
    }
    const crowds: Crowd[] = []
    for (let address = 1; address <= ADDRESSES; address++) {
      crowds.push(crowd({ port, address: `127.67.0.${address}`, connections: CONNECTIONS_EACH, say }))
    }
    await pause(seconds * 1000)
    const all: Record<string, number> = {}
    for (const one of crowds) {
      one.stop()
      for (const [status, count] of Object.entries(one.statuses)) all[status] = (all[status] ?? 0) + count
    }
    return [`${n} guesses from ${ADDRESSES} addresses: answered ${told(all)}`]
  },
}
