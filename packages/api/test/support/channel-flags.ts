// The plan flags of channel kinds in the account API's document, such as AllowChannelSlack.

import type { ChannelKind } from '@dogwatch/channels/kind'
import { channelKinds } from '@dogwatch/channels/registry'
import { document } from '@dogwatch/contract/account'

const { schemas: SCHEMAS } = document.components as { schemas: Record<string, { properties: object }> }

/** The kinds whose flag the document names. It has to name the first four, and may name later ones. */
export function namedKinds(): { kind: ChannelKind; flag: string }[] {
  const flags = Object.keys(SCHEMAS.Entitlements?.properties ?? {})
  return channelKinds().flatMap((kind) => {
    const flag = flags.find((name) => name.toLowerCase() === `allowchannel${kind.name}`)
    return flag === undefined ? [] : [{ kind, flag }]
  })
}

const FIRST = ['ntfy', 'email', 'webhook', 'slack']

/** The flags of kinds that came after the first four, as an answer has them. */
export function laterFlags(isAllowed: (kind: ChannelKind) => boolean): Record<string, boolean> {
  const later = namedKinds().filter(({ kind }) => !FIRST.includes(kind.name))
  return Object.fromEntries(later.map(({ kind, flag }) => [flag, isAllowed(kind)]))
}
