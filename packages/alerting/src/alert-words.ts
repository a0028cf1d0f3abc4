// Defines the words of an alert, before its links are added.
import type { Fact, Message } from '@dogwatch/channels/channel'

/** Message without its links. `facts` can contain false in place of a fact that does not apply. */
export type AlertWords = Omit<Message, 'link' | 'acknowledge' | 'facts'> & { facts: readonly (Fact | false)[] }
