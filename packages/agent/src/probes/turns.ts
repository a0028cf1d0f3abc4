// Shares the event loop among all runs: what targets send is worked through in turns, and in each there is little of it.

/** So long a turn takes at most, and one piece of work besides. */
const TURN_MS = 25
/** Nearly every run takes less in all. Those that took more let the others go first. */
const LIGHT_MS = 10

/** A run that has work to do when its turn comes. */
export interface Waiting {
  /** What its work has taken so far. */
  spent_ms: number
  goOn: () => void
}

let spent_ms = 0
let isUnderWay = false
const light: Waiting[] = []
const heavy: Waiting[] = []

/** True when more work must wait for the next turn. */
export function isTurnOver(): boolean {
  return spent_ms > TURN_MS
}

/** Does the work, at the cost of this run and of this turn. */
export function inTurn<Done>(run: Waiting, work: () => Done): Done {
  const began = performance.now()
  try {
    return work()
  } finally {
    const took_ms = performance.now() - began
    run.spent_ms += took_ms
    spent_ms += took_ms
    awaitNext()
  }
}

/** Its `goOn` is called in a later turn, once. */
export function waitForTurn(run: Waiting): void {
  const line = run.spent_ms > LIGHT_MS ? heavy : light
  line.push(run)
  awaitNext()
}

function awaitNext(): void {
  if (isUnderWay) return
  isUnderWay = true
  setImmediate(begin)
}

function begin(): void {
  isUnderWay = false
  spent_ms = 0
  // However many others there are, one of these gets on.
  heavy.shift()?.goOn()
  while (!isTurnOver()) {
    const next = light.shift() ?? heavy.shift()
    if (!next) return
    next.goOn()
  }
  awaitNext()
}
