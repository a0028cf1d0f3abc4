// Renders acknowledgements and mutes of a check or heartbeat, and handles the buttons for them.
import type { Care } from '@dogwatch/domain/incidents/care'
import type { Muteable, MuteRow } from '@dogwatch/domain/mutes/mute'
import { type MemberContext, post, type Route } from '../route.ts'
import { Acknowledging, type AcknowledgingProps, acknowledgeOne } from './acknowledged.tsx'
import { MutedUntil, Muting, muteOne, unmuteOne } from './muted.tsx'
import { Ago } from './time.tsx'

export function CareMarks({ care }: { care: Care | undefined }) {
  if (!care) return null
  const { acknowledged_at, acknowledged_by, muted_until, muted_by, until_resolved } = care
  return (
    <>
      {acknowledged_at === null ? null : (
        <span class="hint care-mark">
          Acknowledged by {acknowledged_by} · <Ago at={acknowledged_at} />
        </span>
      )}
      {muted_until === null ? null : (
        <span class="hint care-mark">
          Muted by {muted_by}
          <MutedUntil muted_until={muted_until} until_resolved={until_resolved} />
        </span>
      )}
    </>
  )
}

/** Renders the acknowledgement and the mute of a check or heartbeat on its page. */
export function CareOf({ path, name, incidents, muted }: AcknowledgingProps & { muted: MuteRow | undefined }) {
  return (
    <div class="care">
      <Acknowledging path={path} name={name} incidents={incidents} />
      <Muting path={path} name={name} muted={muted} isDown={incidents.some(({ ended_at }) => ended_at === null)} />
    </div>
  )
}

/** Returns the routes that acknowledge and mute a check or heartbeat, and those that undo either. */
export function careRoutes(kind: Muteable['kind']): readonly Route[] {
  const whatOf = ({ params }: MemberContext) => ({ kind, guid: params[kind] ?? '' })
  const path = `/${kind}s/:${kind}`
  return [
    post(`${path}/acknowledge`, 'member', (context) => acknowledgeOne(context, whatOf(context), true)),
    post(`${path}/unacknowledge`, 'member', (context) => acknowledgeOne(context, whatOf(context), false)),
    post(`${path}/mute`, 'member', (context) => muteOne(context, whatOf(context))),
    post(`${path}/unmute`, 'member', (context) => unmuteOne(context, whatOf(context))),
  ]
}
