// Declares the script of a protocol, and the steps that scripts of several protocols share.
import type { Login } from '@dogwatch/check-rules/dialogues'
import { type Conversation, type ConversationFault, protocolFault, type ReadResponse } from '../conversation.ts'
import type { Security } from '../dial.ts'

export interface DialogueTarget {
  /** User and password of the check. Undefined if the check does not sign in. */
  login: Login | undefined
  /** Whether the connection must be encrypted before the sign-in. */
  starttls: boolean
  security: Security
}

/** Script of a protocol. It must end the conversation, or throw the fault of the target. */
export type DialogueScript = (conversation: Conversation, target: DialogueTarget) => Promise<void>

const QUOTE_MAX_CHARS = 120

/** Makes the fault for a target that refuses `what`, with the target's own words. */
export function refusal(what: string, line: string): ConversationFault {
  return protocolFault(`the target refused ${what}: ${line.replaceAll(/\p{C}+/gu, ' ').slice(0, QUOTE_MAX_CHARS)}`)
}

/** Returns the password in all forms that a target could repeat. */
export function secretsOf({ user, password }: Login): string[] {
  const forms = [saslPlain({ user, password }), base64(password), quoted(password), password]
  return [...new Set(forms)]
}

/** Returns the message of the SASL mechanism PLAIN (RFC 4616). */
export function saslPlain({ user, password }: Login): string {
  return base64(`\0${user}\0${password}`)
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Returns a text as a quoted string of IMAP. */
export function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
}

/** Reads a line. Returns undefined if it is not complete. */
export function readLine(received: Buffer, from = 0): ReadResponse<string> | undefined {
  const end = received.indexOf(0x0a, from)
  if (end < 0) return undefined
  return { value: received.toString('utf8', from, end).replace(/\r$/, ''), length: end + 1 }
}

/** Reads lines up to the first that `isLast` accepts. */
export function readLines(received: Buffer, isLast: (line: string) => boolean): ReadResponse<string[]> | undefined {
  const lines: string[] = []
  for (let from = 0; ; ) {
    const line = readLine(received, from)
    if (!line) return undefined
    lines.push(line.value)
    from = line.length
    if (isLast(line.value)) return { value: lines, length: from }
  }
}
