// Holds alerts about muted checks and heartbeats until the mute ends.
import { fromDate } from '@dogwatch/runtime/timestamps'
import { listMutes } from '@dogwatch/store/routing/mutes'
import type { HoldSource } from '../routing/hold.ts'

/** Value of `held_by` for alerts that wait because of a mute. */
export const MUTED = 'muted'

export const MUTES: HoldSource = {
  name: 'mutes',
  holdsLists: true,
  mayHold: ({ has_mutes }) => has_mutes,
  async find(trx, org_id, subjects, now) {
    const rows = await listMutes(trx, org_id, subjects, fromDate(now))
    return new Map(
      rows.map(({ subject, muted_until, until_resolved }) => [
        subject,
        until_resolved
          ? { until: null, by: MUTED, words: 'muted until resolved' }
          : { until: muted_until, by: MUTED, words: 'muted' },
      ]),
    )
  },
}
