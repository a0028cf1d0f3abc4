// An attempt to send each event. The events are those that alerting has put into words: its tests write fixtures/events.json.
import { readFileSync } from 'node:fs'
import type { Dispatch, Message } from '../../src/channel.ts'
import { oneLine } from '../../src/wording.ts'

interface WordedEvent {
  type: string
  data: Record<string, unknown>
  message: Message
}

/** Messages by the name of their case. */
export const EVENTS = JSON.parse(
  readFileSync(new URL('../../fixtures/events.json', import.meta.url), 'utf8'),
) as Record<string, WordedEvent>

export interface Changes {
  /** Fields of the data that are different. */
  data?: object
  /** Replacements of some words, by the word. */
  words?: Readonly<Record<string, string>>
}

export function dispatchOf<Name extends string>(
  destination: Dispatch<Name>['destination'],
  name = 'a check is down',
  { data: more = {}, words = {} }: Changes = {},
): Dispatch<Name> {
  const event = EVENTS[name]
  if (event === undefined) throw new Error(`there is no event ${name}`)
  const timestamp = '2026-11-20T12:00:00.000000Z'
  return {
    webhook_id: 'msg_5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0009_7',
    sent_at: new Date(timestamp),
    type: event.type,
    timestamp,
    data: { ...reworded(event.data, words), ...more },
    // Alerting puts what people wrote on one line.
    message: reworded(event.message, words, oneLine),
    destination,
  }
}

function reworded<T>(value: T, words: Readonly<Record<string, string>>, tidy = (text: string) => text): T {
  const swap = (text: string) =>
    Object.entries(words).reduce((so_far, [word, other]) => so_far.replaceAll(word, () => tidy(other)), text)
  return JSON.parse(JSON.stringify(value), (_, one: unknown) => (typeof one === 'string' ? swap(one) : one)) as T
}
