// How far V8 lets the heap grow before it looks what nobody needs any more.
import { setFlagsFromString } from 'node:v8'

// V8 reads this whenever a collection ends. 0: its default, up to four times of what is alive.
const growBy = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`)
const LITTLE = 40
const DEFAULT = 0

let holders = 0

/**
 * Keeps the heap small until the answer is called. What Postgres answers mostly becomes old before V8 sees that nobody needs it (seen with
 * Node 24), so the heap of a process that reads millions of rows is mostly such rows. For all that a server does, this would cost it a
 * fifth more processor time.
 */
export function keepHeapSmall(): () => void {
  if (holders++ === 0) growBy(LITTLE)
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    if (--holders === 0) growBy(DEFAULT)
  }
}
