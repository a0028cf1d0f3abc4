// The figures of the console, the status page, the summaries, the metrics, the weekly report and the exports equal a recount by a model that knows
// the raw facts alone. HISTORIES=200 looks at more histories, SEED at others, and SKIP=35 leaves out the first ones
// of them. `npm run prove -- histories` looks at 20.

import { judgeUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { foldHistory } from '@dogwatch/domain/results/history'
import { sealHours } from '@dogwatch/domain/results/seal'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Dice, dice, seedFromEnvironment, tell } from '../../../runtime/test/support/dice.ts'
import { DAY_MS } from '../support/recount.ts'
import { type World, world } from '../support/world.ts'
import { figuresOf } from './figures.ts'
import { SmallOrg } from './small-org.ts'

const HISTORIES = Number(process.env.HISTORIES ?? 8)
const SKIP = Number(process.env.SKIP ?? 0)
/** Batches differ more than the histories of one do, so a short run has as many batches. */
const AT_ONCE = HISTORIES < 20 ? 2 : 5
const MIN_MS = 60_000
/** Before clocks are set ahead and back in Europe, America and on Lord Howe Island, and between. */
const STARTS = ['01-20', '03-11', '03-25', '04-01', '07-01', '09-30', '10-28', '11-04']
/** How far into its last day each batch of histories is looked at: at the ends of hours and days as well. */
const ENDS_MIN = [8 * 60 + 31, 23 * 60 + 57, 4, 12 * 60 + 55, 1]

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

/** The next of the starts, at an odd time of the day. */
function nextStart(batch: number): number {
  const from = w.clock.now().getTime() + DAY_MS
  const years = [0, 1].map((more) => new Date(from).getUTCFullYear() + more)
  const all = years.flatMap((year) => STARTS.map((day) => Date.parse(`${year}-${day}T05:00:00Z`)))
  return Math.min(...all.filter((at) => at > from)) + batch * 137 * MIN_MS
}

function moveTo(at: number): void {
  w.clock.forward((at - w.clock.now().getTime()) / 1000)
}

async function seal(): Promise<void> {
  for (let runs = 0; runs < 4; runs++) {
    await sealHours(w.deps, 1)
    w.clock.forward(60)
  }
  w.deps.database.sealing.forget()
}

/** Begins a batch of histories, and returns when it ends. */
function beginBatch({ below }: Dice, batch: number): number {
  moveTo(nextStart(batch))
  const day = Math.floor(w.clock.now().getTime() / DAY_MS) * DAY_MS
  return day + (8 + below(3)) * DAY_MS + (ENDS_MIN[batch % ENDS_MIN.length] ?? 0) * MIN_MS
}

/** Lets some organisations live through the same days, and returns what they show in the end. */
async function live(seed: number, batch: number, count: number): Promise<number> {
  const own = dice(seed)
  const { below } = own
  const end = beginBatch(own, batch)
  const begin = w.clock.now().getTime()
  const orgs: SmallOrg[] = []
  for (let n = 0; n < count; n++) orgs.push(await SmallOrg.begin(w, dice(seed + 1000 * n), end - begin))
  await judgeUnmonitored(w.deps)
  const instants = orgs.flatMap((org) =>
    Array.from({ length: 6 + below(10) }, () => ({
      org,
      at: begin + (1 + below((end - begin) / MIN_MS - 90)) * MIN_MS,
    })),
  )
  for (const { org, at } of instants.toSorted((a, b) => a.at - b.at)) {
    if (at > w.clock.now().getTime()) moveTo(at)
    await org.run()
    // What came late is judged before anything begins the judging anew.
    await w.judgeLate()
    await org.change()
    await judgeUnmonitored(w.deps)
    if (below(5) === 0) await foldHistory(w.deps)
  }
  if (batch % 2 === 1) {
    while ((await foldHistory(w.deps)).hours > 0);
    await seal()
  }
  moveTo(end)
  for (const org of orgs) await org.run()
  await w.judgeLate()
  await judgeUnmonitored(w.deps)
  let compared = 0
  for (const [n, org] of orgs.entries()) {
    const figures = await figuresOf(org)
    const wrong = figures.filter(({ told, want }) => JSON.stringify(told) !== JSON.stringify(want))
    // Its seed, and what was done in it, say how to get there again.
    const history = wrong.length === 0 ? [] : [`SEED=${seed}, history ${n}`, ...org.deeds]
    expect({ history, wrong }).toEqual({ history: [], wrong: [] })
    compared += figures.length
  }
  return compared
}

test(
  `the figures of ${HISTORIES - SKIP} histories equal a recount`,
  async () => {
    const seed = seedFromEnvironment()
    let count = 0
    for (let batch = 0; batch * AT_ONCE < HISTORIES; batch++) {
      if (batch * AT_ONCE < SKIP) moveTo(beginBatch(dice(seed + batch), batch))
      else count += await live(seed + batch, batch, Math.min(AT_ONCE, HISTORIES - batch * AT_ONCE))
    }
    tell('figures that were compared', { histories: HISTORIES - SKIP, count })
    expect(count).toBeGreaterThan(0)
  },
  HISTORIES * 60_000,
)
