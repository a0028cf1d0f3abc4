// Disables the channel of a receiver that responds that it is gone (status 410, or its vendor's equivalent), and emails the
// owner.

import { type ChannelTarget, leadIn } from '@dogwatch/channels/destination'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { type ChannelKey, findChannel } from '@dogwatch/store/alerting/channels'
import { updateDeliveriesOfDisabled } from '@dogwatch/store/alerting/deliveries'
import {
  claimGoneMails,
  type GoneChannel,
  updateChannelGone,
  updateGoneTold,
} from '@dogwatch/store/alerting/gone-channels'
import { type AuditRecord, recordAuditEntry, SERVICE } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { decideAgain } from '../routing/release.ts'

export type { GoneChannel }

const REASON = 'the receiving service reported that the destination no longer exists, so the channel was turned off'
/** Time within which a channel that is enabled and disabled again causes no second email. */
const MAIL_AGAIN_SEC = 86_400
/** Delay before the next attempt to send an email that failed. */
export const RETRY_MS = 60_000
/** Maximum time for all attempts to send an email. */
const GIVE_UP_MS = 3 * 86_400_000
const AT_ONCE = 20

/**
 * Disables the channel and gives up its waiting deliveries, unless the channel has another destination by now. Returns whether it
 * was disabled.
 */
export async function switchOffGone(deps: Deps, key: ChannelKey, told: ChannelTarget): Promise<boolean> {
  const now = fromDate(deps.clock.now())
  const destination = leadIn(told)
  return deps.database.machines.transaction().execute(async (trx) => {
    if (!(await updateChannelGone(trx, key, { destination, now, mail_again_sec: MAIL_AGAIN_SEC }))) return false
    await updateDeliveriesOfDisabled(trx, key.id, REASON)
    await decideAgain(trx, deps, key.org_id)
    const { name = '' } = (await findChannel(trx, key)) ?? {}
    const deed: AuditRecord = {
      org_id: key.org_id,
      action: 'channel.disable',
      subject: name,
      detail: { reason: REASON },
    }
    await recordAuditEntry(trx, deps, SERVICE, deed)
    return true
  })
}

/**
 * Emails the owners of channels that {@link switchOffGone} disabled, once each. Retries until the mail server accepts the email,
 * for at most three days.
 */
export async function tellGone(deps: Deps, send: (channel: GoneChannel) => Promise<void>): Promise<void> {
  const { clock, database, log } = deps
  const at = (ms: number) => fromDate(new Date(clock.now().getTime() + ms))
  const due = { now: at(0), again_at: at(RETRY_MS), until: at(-GIVE_UP_MS), limit: AT_ONCE }
  for (const channel of await claimGoneMails(database.machines, due)) {
    const { org_id, id: channel_id } = channel
    try {
      await send(channel)
      await updateGoneTold(database.machines, channel)
    } catch (err) {
      log.warn({ err, org_id, channel_id }, 'could not email the owner of a disabled channel; will retry')
    }
  }
}
