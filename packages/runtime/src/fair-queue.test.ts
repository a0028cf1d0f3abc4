// Jobs of many clients, a few at once: one client never stops the others.
import { expect, test } from '@jest/globals'
import { FairQueue, type Origin, type QueueBounds, QueueFault } from './fair-queue.ts'

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

const v4 = (client: string): Origin => ({ group: client, client })
const many = (count: number, origin: Origin) => Array.from({ length: count }, () => origin)

test('a client that has a hundred jobs waits behind one that has one', async () => {
  const begun = await order({ at_once: 1, of_client: 1 }, [...many(100, v4('greedy')), v4('honest')])
  expect(begun.indexOf('honest')).toBe(2)
  expect(begun).toHaveLength(101)
})

test('a network with many addresses takes turns with others as one', async () => {
  const greedy = Array.from({ length: 50 }, (_, n) => ({ group: 'wide', client: `wide ${n}` }))
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
  const first = queue.run(v4('a'), () => new Promise<string>((resolve) => (release = () => resolve('done'))), {
    given_up: running.signal,
  })
  const begun: string[] = []
  const begin = (name: string) => async () => void begun.push(name)
  const second = queue.run(v4('a'), begin('second'), { given_up: waiting.signal })
  const third = queue.run(v4('a'), begin('third'))
  const alone = queue.run(v4('b'), begin('alone'), { given_up: waiting.signal })
  early.abort()
  await expect(queue.run(v4('c'), begin('early'), { given_up: early.signal })).rejects.toMatchObject({
    reason: 'given up',
  })
  running.abort()
  waiting.abort()
  await expect(second).rejects.toMatchObject({ reason: 'given up' })
  await expect(alone).rejects.toMatchObject({ reason: 'given up' })
  release()
  expect(await first).toBe('done')
  await third
  expect(begun).toEqual(['third'])
})

const BOUNDS: QueueBounds = { at_once: 2, of_group: 2, of_client: 1, waiting: 4, waiting_of_client: 3 }
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Notes in which order jobs begin and why others do not, and lets them end one by one. */
function noting(queue: FairQueue) {
  const begun: string[] = []
  const lost: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, group: string, client: string, wait_ms?: number): void => {
    const job = () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    }
    queue.run({ group, client }, job, { wait_ms }).catch(({ reason }: QueueFault) => lost.push(`${name}: ${reason}`))
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await turn()
  }
  return { begun, lost, run, end }
}

test('a flood of one client takes its own turns, and the job of another is next', async () => {
  const { begun, run, end } = noting(new FairQueue(BOUNDS))
  for (const n of [1, 2, 3]) run(`flood ${n}`, 'reset', 'greedy')
  run('honest', 'reset', 'other')
  expect(begun).toEqual(['flood 1', 'honest'])
  await end('flood 1')
  expect(begun).toEqual(['flood 1', 'honest', 'flood 2'])
})

test('however many clients of one group there are, a group with nothing in progress has the next turn', async () => {
  const { begun, run, end } = noting(new FairQueue(BOUNDS))
  for (const n of [1, 2, 3, 4, 5]) run(`sign-up ${n}`, 'sign-up', `client ${n}`)
  run('reset', 'reset', 'client 1')
  await end('sign-up 2')
  expect(begun).toEqual(['sign-up 1', 'sign-up 2', 'reset'])
})

test('one group leaves slots to others', () => {
  const { begun, run } = noting(new FairQueue({ ...BOUNDS, of_group: 1 }))
  for (const n of [1, 2]) run(`sign-up ${n}`, 'sign-up', `client ${n}`)
  run('reset', 'reset', 'client 3')
  expect(begun).toEqual(['sign-up 1', 'reset'])
})

test('a client with too many waiting jobs is refused, and a full queue drops the newest job of the client that has most', async () => {
  const queue = new FairQueue({ ...BOUNDS, at_once: 1 })
  const { begun, lost, run } = noting(queue)
  run('first', 'reset', 'x')
  for (const n of [1, 2, 3, 4]) run(`greedy ${n}`, 'reset', 'greedy')
  for (const n of [1, 2, 3]) run(`honest ${n}`, 'reset', 'honest')
  await turn()
  expect(begun).toEqual(['first'])
  expect(lost).toEqual(['greedy 4: excess', 'greedy 3: full', 'honest 3: full'])
  expect(queue.state()).toEqual({ running: 1, waiting: 4 })
})

test('a client that gives up its first job keeps its turn for the next', async () => {
  const queue = new FairQueue({ at_once: 1 })
  const { begun, run, end } = noting(queue)
  run('first', 'a', 'a')
  run('hurried', 'b', 'b', 1)
  run('patient', 'b', 'b')
  run('later', 'c', 'c')
  while (queue.state().waiting === 3) await new Promise((resolve) => setTimeout(resolve, 1))
  await end('first')
  expect(begun).toEqual(['first', 'patient'])
})

test('a job that waits for too long does not begin, and neither does what waits at the end', async () => {
  const queue = new FairQueue({ ...BOUNDS, at_once: 1 })
  const { begun, lost, run, end } = noting(queue)
  run('first', 'reset', 'x')
  run('hurried', 'invitation', 'y', 1)
  run('patient', 'reset', 'y', 60_000)
  while (lost.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  queue.close()
  await end('first')
  expect({ begun, lost }).toEqual({ begun: ['first'], lost: ['hurried: late', 'patient: late'] })
})

test('without room to wait, what cannot begin at once is refused, and what can is not', async () => {
  const queue = new FairQueue({ at_once: 1, waiting: 0 })
  const leave = await queue.enter({ client: 'a' })
  await expect(queue.enter({ client: 'b' })).rejects.toMatchObject({ reason: 'full' })
  leave()
  leave()
  await turn()
  expect(await queue.run({ client: 'b' }, async () => 'next')).toBe('next')
  expect(queue.state()).toEqual({ running: 0, waiting: 0 })
})

test('a slot is wanted if a waiting job could begin in it', async () => {
  const queue = new FairQueue({ at_once: 2, of_client: 1 })
  await queue.enter({ client: 'a' })
  expect(queue.isWanted({ client: 'a' })).toBe(false)
  void queue.enter({ client: 'a' })
  await queue.enter({ client: 'b' })
  expect([queue.isWanted({ client: 'a' }), queue.isWanted({ client: 'b' })]).toEqual([true, false])
})
