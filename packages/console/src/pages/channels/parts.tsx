// Renders the parts that the pages of channels share: the kinds, and the state of a channel.

import { shownDestination } from '@dogwatch/channels/destination'
import { findKind } from '@dogwatch/channels/registry'
import { confirmationStateOf } from '@dogwatch/domain/channels/confirmation'
import type { ChannelRow } from '@dogwatch/domain/channels/edit'
import type { LastOutcome } from '@dogwatch/domain/events/delivery-log'
import type { Viewer } from '@dogwatch/domain/people/sessions'
import { Mood, StateMark } from '../../design/badge.tsx'
import { maySeeSecrets } from '../../impersonation.tsx'
import { Ago, useNow } from '../../parts/time.tsx'

export function kindLabel(kind: string): string {
  return findKind(kind)?.label ?? kind
}

/** Returns the destination. Hides the parts that the viewer may not see. */
export function destinationOf(channel: ChannelRow, viewer: Viewer): string {
  return shownDestination(channel, maySeeSecrets(viewer))
}

interface StateProps {
  channel: ChannelRow
  /** Outcome of the newest message to the channel, or undefined if there was none. */
  outcome: LastOutcome | undefined
}

/** Renders whether alerts go to the channel, whether the last one arrived, and if not, why. */
export function ChannelState({ channel, outcome }: StateProps) {
  const now = useNow()
  if (!channel.enabled) return <StateMark state="disabled" />
  const confirmation = confirmationStateOf(channel, now)
  if (confirmation === 'confirmed') return <Enabled outcome={outcome} />
  if (confirmation === 'waiting') {
    return <Mood icon="hourglass" tone="warn" text="Awaiting confirmation" />
  }
  return (
    <>
      <Enabled outcome={outcome} />
      <br />
      <small>
        Not confirmed. Alerts stop <Ago at={channel.confirm_by ?? ''} />
      </small>
    </>
  )
}

function Enabled({ outcome }: Pick<StateProps, 'outcome'>) {
  const { state, last_error = null } = outcome ?? {}
  if (state === 'failed' || (state === 'pending' && last_error !== null)) {
    return <Mood icon="circle-x" tone="bad" text="Enabled, last message failed" />
  }
  if (state === 'pending') {
    return <Mood icon="hourglass" tone="idle" text="Enabled" />
  }
  return <Mood icon="circle-check" tone="good" text="Enabled" />
}
