// Stores how a person reads times: in which zone, and by a clock of 12 or of 24 hours.
import { updateTimes } from '@dogwatch/store/accounts/people'
import type { Deps } from '../deps.ts'
import { FieldError } from '../errors.ts'
import { isZone } from '../routing/hours.ts'
import { requireNotImpersonated, type Viewer } from './sessions.ts'

export type HourClock = 12 | 24

/** Choices of a person. Null if their browser decides. */
export interface ChosenTimes {
  time_zone: string | null
  hour_clock: number | null
}

export async function chooseTimes(deps: Deps, viewer: Viewer, { time_zone, hour_clock }: ChosenTimes): Promise<void> {
  requireNotImpersonated(viewer)
  if (time_zone !== null && !isZone(time_zone)) {
    throw new FieldError('invalid', 'time_zone', 'must be a time zone, such as Europe/Paris')
  }
  if (hour_clock !== null && hour_clock !== 12 && hour_clock !== 24) {
    throw new FieldError('invalid', 'hour_clock', 'must be 12 or 24')
  }
  await updateTimes(deps.database.people, viewer.person_id, { time_zone, hour_clock })
}
