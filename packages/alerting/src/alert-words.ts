// Defines the words of an alert, before its links are added.
import type { Fact, Message } from '@dogwatch/channels/channel'

/** Message without its links. A fact that is false is omitted. */
export type AlertWords = Omit<Message, 'link' | 'acknowledge' | 'facts'> & { facts: readonly (Fact | false)[] }
