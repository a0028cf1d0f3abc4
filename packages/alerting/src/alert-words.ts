// Defines the words of an alert, before its links are added, and the words that several alerts share.
import type { Fact, Message } from '@dogwatch/channels/channel'
import { oneLine } from '@dogwatch/channels/wording'

/** Message without its links. `facts` can contain false in place of a fact that does not apply. */
export type AlertWords = Omit<Message, 'link' | 'acknowledge' | 'facts'> & { facts: readonly (Fact | false)[] }

/** Returns the target of a check as a fact. Returns false if the definition of the check is private. */
export function targetOf({ url }: { url?: string }): Fact | false {
  return url !== undefined && { label: 'Target', value: oneLine(url) }
}

/** Returns the name of a monitor, or its id if it has no name. */
export function nameOf({ id, name }: { id: string; name: string }): string {
  return oneLine(name, 60) || id
}

export function secondsBetween(since: string, until: string): number {
  return (Date.parse(until) - Date.parse(since)) / 1000
}
