// Jobs of many clients, a few at once: one client never stops the others.
import { expect, test } from '@jest/globals'
import { OVERLOADED } from './errors.ts'
import { FairQueue, type Origin } from './fair-queue.ts'

/** One that runs jobs one at a time is the easiest to follow. */
async function order(bounds: { at_once: number; of_client: number }, origins: readonly Origin[]): Promise<string[]> {
  const queue = new FairQueue(bounds)
  const begun: string[] = []
  await Promise.all(
    origins.map((origin) =>
      queue.run(origin, async () => {
        begun.push(origin.client)
        await new Promise(setImmediate)
      }),
    ),
  )
  return begun
}

const v4 = (client: string): Origin => ({ network: client, client })
const many = (count: number, origin: Origin) => Array.from({ length: count }, () => origin)

test('a client that has a hundred jobs waits behind one that has one', async () => {
  const begun = await order({ at_once: 1, of_client: 1 }, [...many(100, v4('greedy')), v4('honest')])
  expect(begun.indexOf('honest')).toBe(2)
  expect(begun).toHaveLength(101)
})

test('a network with many addresses takes turns with others as one', async () => {
  const greedy = Array.from({ length: 50 }, (_, n) => ({ network: 'wide', client: `wide ${n}` }))
  const begun = await order({ at_once: 1, of_client: 1 }, [...greedy, ...many(3, v4('honest'))])
  expect(begun.slice(0, 7)).toEqual(['wide 0', 'wide 1', 'honest', 'wide 2', 'honest', 'wide 3', 'honest'])
})

test('no more run at once than may, of all and of one client', async () => {
  const queue = new FairQueue({ at_once: 5, of_client: 2 })
  const running = new Map<string, number>()
  let most = 0
  const job = (client: string) => async () => {
    running.set(client, (running.get(client) ?? 0) + 1)
    most = Math.max(
      most,
      [...running.values()].reduce((a, b) => a + b),
    )
    expect(running.get(client)).toBeLessThanOrEqual(2)
    await new Promise(setImmediate)
    running.set(client, (running.get(client) ?? 0) - 1)
  }
  const clients = ['a', 'b', 'c', 'd']
  await Promise.all(clients.flatMap((client) => many(10, v4(client)).map((origin) => queue.run(origin, job(client)))))
  expect(most).toBe(5)
})

test('a job that fails says so, and the next one runs', async () => {
  const queue = new FairQueue({ at_once: 1, of_client: 1 })
  const broken = queue.run(v4('a'), () => Promise.reject(new Error('broken')))
  const next = queue.run(v4('a'), async () => 'done')
  await expect(broken).rejects.toThrow('broken')
  expect(await next).toBe('done')
})

test('a job that is given up before its turn leaves the queue; one that runs goes on', async () => {
  const queue = new FairQueue({ at_once: 1, of_client: 1 })
  const [running, waiting, early] = [new AbortController(), new AbortController(), new AbortController()]
  let release = (): void => {}
  const first = queue.run(
    v4('a'),
    () => new Promise<string>((resolve) => (release = () => resolve('done'))),
    running.signal,
  )
  const begun: string[] = []
  const begin = (name: string) => async () => void begun.push(name)
  const second = queue.run(v4('a'), begin('second'), waiting.signal)
  const third = queue.run(v4('a'), begin('third'))
  const alone = queue.run(v4('b'), begin('alone'), waiting.signal)
  early.abort()
  await expect(queue.run(v4('c'), begin('early'), early.signal)).rejects.toThrow(OVERLOADED)
  running.abort()
  waiting.abort()
  await expect(second).rejects.toThrow(OVERLOADED)
  await expect(alone).rejects.toThrow(OVERLOADED)
  release()
  expect(await first).toBe('done')
  await third
  expect(begun).toEqual(['third'])
})
