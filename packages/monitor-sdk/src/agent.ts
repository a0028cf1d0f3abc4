// Exports what an agent on Node needs in addition to the client: an outbox on disk, a clock with the server's time, and the turns
// of monitors.

export {
  isRankKnown,
  nextSlot,
  phaseOf,
  type ScheduledCheck,
  type Slot,
  slotNumberAt,
  type Turn,
  turnOf,
} from '#rules/turns'
export { isFromServer } from './from-server.ts'
export { type OutboxOptions, ResultOutbox } from './outbox.ts'
export { type Learnt, ServerClock, SLEW_RATE, STEP_MS, type TimeSample } from './server-clock.ts'
