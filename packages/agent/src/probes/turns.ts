// Shares the event loop among all runs: processes the data that targets send in short turns.

/** Maximum duration of a turn, in milliseconds. A piece of work that has begun in time may exceed it. */
const TURN_MS = 25
/**
 * Maximum total work of a light run, in milliseconds. Nearly every run needs less. In a turn, light runs go before heavy ones.
 */
const LIGHT_MS = 10

/** A run that has work to do when its turn comes. */
export interface PendingWork {
  /** Time that the work of this run has taken so far, in milliseconds. */
  spent_ms: number
  goOn: () => void
}

let spent_ms = 0
let isUnderWay = false
const light: PendingWork[] = []
const heavy: PendingWork[] = []

/** Whether more work must wait for the next turn. */
export function isTurnOver(): boolean {
  return spent_ms > TURN_MS
}

/** Does the work, and adds its duration to the work of the run and of the present turn. */
export function inTurn<Done>(run: PendingWork, work: () => Done): Done {
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

/** Calls the run's `goOn` once, in a later turn. */
export function waitForTurn(run: PendingWork): void {
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
  // In each turn, one heavy run makes progress, however many light runs wait.
  heavy.shift()?.goOn()
  while (!isTurnOver()) {
    const next = light.shift() ?? heavy.shift()
    if (!next) return
    next.goOn()
  }
  awaitNext()
}
