// While somebody reads a lot, the heap holds less besides what is alive.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

// In a process of its own, because the setting is of the process. What it makes becomes old before it is given up.
const PROGRAM = `
  import { keepHeapSmall } from ${JSON.stringify(new URL('./heap.ts', import.meta.url).href)}
  const SIZE = 200_000
  const alive = new Array(SIZE)
  const mostOf = (rounds) => {
    let most = 0
    for (let n = 0; n < rounds * SIZE; n++) {
      alive[n % SIZE] = [n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7]
      if (n > 30 * SIZE && n % 5000 === 0) most = Math.max(most, process.memoryUsage().heapUsed)
    }
    return most
  }
  const before = mostOf(80)
  const [letGrow, letGrowToo] = [keepHeapSmall(), keepHeapSmall()]
  letGrow()
  letGrow()
  const held = mostOf(80)
  letGrowToo()
  process.stdout.write(JSON.stringify({ before, held, after: mostOf(80) }))`

test('the heap grows by less while anybody keeps it small, and as before afterwards', async () => {
  const flags = ['--max-semi-space-size=16', '--input-type=module', '--eval', PROGRAM]
  const { stdout } = await promisify(execFile)(process.execPath, flags)
  const { before, held, after } = JSON.parse(stdout) as Record<'before' | 'held' | 'after', number>
  expect(held).toBeLessThan(before * 0.8)
  expect(after).toBeGreaterThan(held * 1.2)
})
