// Shared by the pages of channels: the kinds, and how a channel stands.
import type { VNode } from 'preact'
import { shownDestination } from '../../../channels/destination.ts'
import { findKind } from '../../../channels/registry.ts'
import { confirmationStateOf } from '../../../domain/channels/confirmation.ts'
import type { ChannelRow } from '../../../domain/channels/edit.ts'
import type { Viewer } from '../../../domain/people/sessions.ts'
import { Mood } from '../../design/badge.tsx'
import { maySeeSecrets } from '../../impersonation.tsx'
import { StateMark } from '../../parts/state.tsx'
import { Ago } from '../../parts/time.tsx'

export function kindLabel(kind: string): string {
  return findKind(kind)?.label ?? kind
}

/** The destination, as far as the viewer may see it. */
export function destinationOf(channel: ChannelRow, viewer: Viewer): string {
  return shownDestination(channel, maySeeSecrets(viewer))
}

/** Whether alerts go to it, and if not, why. */
export function ChannelState({ channel, now }: { channel: ChannelRow; now: Date }): VNode {
  if (!channel.enabled) return <StateMark state="disabled" />
  const confirmation = confirmationStateOf(channel, now)
  if (confirmation === 'confirmed') return <Enabled />
  if (confirmation === 'waiting') {
    return (
      <Mood icon="hourglass" tone="warn">
        Waiting for confirmation
      </Mood>
    )
  }
  return (
    <>
      <Enabled />
      <br />
      <small>
        to be confirmed: alerts stop <Ago at={channel.confirm_by ?? ''} now={now} />
      </small>
    </>
  )
}

function Enabled(): VNode {
  return (
    <Mood icon="circle-check" tone="good">
      Enabled
    </Mood>
  )
}

/** The form of ids in paths and queries. */
export const NUMBER = /^\d{1,15}$/
