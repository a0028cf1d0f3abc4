// Who tells a process whether the database's clock jumped, or the process' own machine stood still.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { DatabaseClock } from './database-clock.ts'
import { Witnesses } from './witnesses.ts'

const TRUTH = Date.parse('2026-11-20T12:00:00Z')
const HOSTS = ['one', 'two', 'three', 'four']
const MINUTE = 60_000

interface Machine {
  clock: DatabaseClock
  id: string
  host: string
  stopped_ms: number
  reports: number
}

/** Processes, each on a machine of its own unless it is said otherwise, around one database in one true time. */
function fleet(hosts: readonly string[] = HOSTS.slice(0, 3)) {
  let true_ms = 0
  let database_ms = 0
  const rows = new Map<
    string,
    { host: string; reports: number; ahead_ms: number; skew_ms: number; steady_ms: number }
  >()
  const begin = (host: string, n: number): Machine => {
    const machine: Machine = { id: `p${n}`, host, stopped_ms: 0, reports: 0, clock: undefined as never }
    const monotonicMs = () => true_ms - machine.stopped_ms + 7_000_000 * n
    machine.clock = new DatabaseClock(
      // Where a machine stands still, its wall clock does so, too.
      { wallMs: () => TRUTH + true_ms - machine.stopped_ms, monotonicMs, bootMs: monotonicMs },
      new Witnesses(host),
    )
    return machine
  }
  const all = hosts.map(begin)
  const now = () => TRUTH + true_ms + database_ms
  const ask = (machine: Machine) => {
    const at_ms = machine.clock.monotonicMs()
    machine.clock.add({ sent_ms: at_ms, received_ms: at_ms, database_ms: now() })
  }
  const tell = (machine: Machine) => {
    const report = machine.clock.report()
    if (report) {
      const isParted = machine.clock.isParted
      const others = [...rows].flatMap(([process_id, row]) =>
        process_id === machine.id ? [] : [{ process_id, ...row, isInDoubt: false, isFresh: true }],
      )
      machine.clock.witnesses.readOthers(others, isParted)
      const { carried_ms, skew_ms, steady_ms } = report
      const { host } = machine
      rows.set(machine.id, { host, reports: ++machine.reports, ahead_ms: now() - carried_ms, skew_ms, steady_ms })
    }
    ask(machine)
  }
  return {
    all,
    ask,
    begin: (host: string) => {
      const machine = begin(host, all.length)
      all.push(machine)
      return machine
    },
    setDatabase: (ms: number) => void (database_ms = ms),
    wait: (ms: number) => void (true_ms += ms),
    /** Each second all read the clock, and every fifth second, each at another one, they tell how it stands. */
    run: (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        true_ms += 1000
        for (const [n, machine] of all.entries()) {
          if ((Math.round(true_ms / 1000) + n) % 5 === 0) tell(machine)
          else ask(machine)
        }
      }
    },
    /** Time goes by everywhere but on these machines. */
    stop: (ms: number, ...stopped: number[]) => {
      true_ms += ms
      for (const n of stopped) (all[n] as Machine).stopped_ms += ms
    },
    trusted: () => all.map(({ clock }) => clock.isTrusted()),
    error: (n: number) => (all[n] as Machine).clock.now().getTime() - now(),
    tally: (n: number) => (all[n] as Machine).clock.state().tally,
    doubt: (n: number) => (all[n] as Machine).clock.state().doubt,
  }
}

test.each([-60, -6, 10, 60, 3600, 86_400])('a database that jumps by %d s is believed by none of three', (seconds) => {
  const f = fleet()
  f.run(30)
  f.setDatabase(seconds * 1000)
  for (let second = 0; second < 300; second++) {
    f.run(1)
    expect(f.trusted()).toEqual([false, false, false])
  }
  expect(f.doubt(0)).toMatch(
    /^the database clock jumped .* \(2 of 2 other processes disagree with the database clock\)$/,
  )
  expect(f.tally(0)).toMatchObject({ processes: 2, processes_off: 2 })
  f.setDatabase(0)
  f.run(6)
  expect(f.trusted()).toEqual([true, true, true])
  expect(f.tally(0)).toMatchObject({ processes: 2 })
})

test('a machine that stood still alone learns it from the others within ten seconds', () => {
  const f = fleet()
  f.run(30)
  f.stop(40_000, 1)
  f.run(2)
  expect(f.trusted()).toEqual([true, false, true])
  f.run(10)
  // Its own wall clock is behind yet, and that is what is in doubt now.
  expect(f.doubt(1)).toBe("this machine's clock is 40 s behind the database clock")
  expect(Math.abs(f.error(1))).toBeLessThanOrEqual(1)
  expect(f.tally(0)).toMatchObject({ processes: 2, processes_off: 1 })
})

test('a process that began after the database jumped is no witness that it did not', () => {
  const f = fleet()
  f.run(30)
  f.setDatabase(60_000)
  f.run(1)
  for (const host of ['five', 'six', 'seven']) f.begin(host)
  f.run(300)
  expect(f.trusted().slice(0, 3)).toEqual([false, false, false])
})

test('what was written before the jump is no witness, either way', () => {
  const f = fleet(HOSTS.slice(0, 2))
  f.run(30)
  // The other ends right then: what it wrote last says that all is well.
  f.all.splice(1, 1)
  f.setDatabase(-10_000)
  f.run(60)
  expect(f.trusted()).toEqual([false])
})

test('processes of one machine stand still together, and are one witness', () => {
  const f = fleet(['one', 'one', 'one', 'two'])
  f.run(30)
  f.stop(40_000, 0, 1, 2)
  f.run(12)
  for (const n of [0, 1, 2]) expect(Math.abs(f.error(n))).toBeLessThanOrEqual(1)
})

test('of three machines two of which stood still, none can say which; it is said who disagrees', () => {
  const f = fleet()
  f.run(120)
  f.stop(40_000, 0, 1)
  f.run(20)
  expect(f.trusted()).toEqual([false, false, true])
  expect(f.doubt(0)).toContain('1 of 2 other processes')
})

test('without other processes, monitors that go along with the database say that the machine stood still', () => {
  const f = fleet(['one'])
  const [{ clock }] = f.all as [Machine]
  f.run(30)
  for (const id of ['a', 'b', 'c']) clock.hear(id, 0, 0)
  f.run(1)
  f.stop(40_000, 0)
  f.run(1)
  clock.hear('a', 40_000, 0)
  f.run(1)
  // One may be wrong.
  expect(f.doubt(0)).toMatch(/jumped 40 s ahead/)
  // It was an hour ahead before.
  clock.hear('b', 3_640_000, 3_600_000)
  f.run(1)
  expect(f.doubt(0)).toBe("this machine's clock is 40 s behind the database clock")
})

test('monitors that go on as before say that the database jumped, and their number is told', () => {
  const f = fleet(['one'])
  const [{ clock }] = f.all as [Machine]
  f.run(30)
  f.setDatabase(MINUTE)
  f.run(1)
  for (const id of ['a', 'b', 'c']) clock.hear(id, 100, 0)
  f.run(5)
  expect(f.doubt(0)).toBe('the database clock jumped 60 s ahead (3 of 3 monitors disagree with the database clock)')
})

test('a monitor that sets its clock by our answers is heard once, before it could', () => {
  const f = fleet(['one'])
  const [{ clock }] = f.all as [Machine]
  f.run(30)
  f.setDatabase(MINUTE)
  f.run(1)
  for (const id of ['a', 'b', 'c']) {
    clock.hear(id, 0, 0)
    clock.hear(id, MINUTE, 0)
  }
  f.run(60)
  expect(f.trusted()).toEqual([false])
})

test('that most monitors disagree with a database that is steady is told, and one is not', () => {
  const { clock } = fleet(['one']).all[0] as Machine
  clock.add({ sent_ms: 0, received_ms: 0, database_ms: clock.now().getTime() })
  clock.hear('a', 9000, 0)
  expect(clock.state()).toMatchObject({ others: undefined, tally: { monitors: 1, monitors_off: 1 } })
  clock.hear('b', -9000, 0)
  clock.hear('c', 100, 0)
  expect(clock.state().others).toBe('2 of 3 monitors disagree with the database clock')
})

test('whatever the jump and whenever the others tell, a database that jumps is not believed for it', () => {
  const jump = fc.integer({ min: -7200, max: 7200 }).filter((seconds) => Math.abs(seconds) > 6)
  fc.assert(
    fc.property(jump, fc.nat(10), fc.integer({ min: 2, max: 4 }), (seconds, after, machines) => {
      const f = fleet(HOSTS.slice(0, machines))
      f.run(20 + after)
      f.setDatabase(seconds * 1000)
      f.run(60)
      expect(f.trusted()).toEqual(HOSTS.slice(0, machines).map(() => false))
    }),
    { numRuns: 50 },
  )
})
