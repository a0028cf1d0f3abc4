// Limits of rate go by the database's clock, which goes on while a test asks.
import { expect } from '@jest/globals'

interface Burst {
  /** How many may come at once. */
  burst: number
  /** After so long one more may come. */
  refill_sec: number
  /** Statuses of the responses. */
  status: number
}

/** Asks until it is refused: so many as may come at once are answered, and besides them at most what time gave back meanwhile. */
export async function expectBurst(ask: () => Promise<number>, { burst, refill_sec, status }: Burst): Promise<void> {
  const begun = performance.now()
  const statuses: number[] = []
  while (statuses.at(-1) !== 429 && statuses.length < 4 * burst) statuses.push(await ask())
  const given_back = Math.floor((performance.now() - begun) / 1000 / refill_sec)
  const answered = statuses.slice(0, -1)
  expect([...new Set(answered), statuses.at(-1)]).toEqual([status, 429])
  expect(answered.length).toBeGreaterThanOrEqual(burst)
  expect(answered.length).toBeLessThanOrEqual(burst + given_back)
}
