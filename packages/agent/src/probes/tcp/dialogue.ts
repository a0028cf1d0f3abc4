// Runs the steps of a dialogue that a member wrote: waits for lines, sends, and makes the TLS handshake.
import type { DialogueStep } from '@dogwatch/check-rules/dialogues'
import type { Attempt } from '../attempt.ts'
import {
  type Conversation,
  ConversationFault,
  protocolFault,
  RESPONSE_MAX_BYTES,
  type ResponseReader,
} from '../conversation.ts'
import type { Security } from '../dial.ts'

interface Dialogue {
  steps: readonly DialogueStep[]
  security: Security
}

export async function runSteps(
  attempt: Attempt,
  conversation: Conversation,
  { steps, security }: Dialogue,
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    if (step.does === 'send') conversation.send(step.bytes)
    else if (step.does === 'starttls') await conversation.startTls(security)
    else await expectLine(attempt, conversation, step.pattern, `step ${index + 1}`)
  }
  const { isEnough } = attempt.bounds
  if (isEnough && steps.at(-1)?.does !== 'expect') await readRest(attempt, conversation, isEnough)
  conversation.finish()
}

/** Maximum number of lines of a step. */
const LINES_MAX = 200

/** Reads lines until one matches. */
async function expectLine(attempt: Attempt, conversation: Conversation, pattern: string, step: string): Promise<void> {
  let bytes = 0
  let seen_bytes = 0
  for (let lines = 0; lines < LINES_MAX && bytes < RESPONSE_MAX_BYTES; lines++) {
    const piece = await conversation.read(`a line that matches ${step}`, pieceReader(conversation, seen_bytes))
    const isFound = await search(attempt, pattern, piece.text)
    if (piece.isLine || isFound) {
      conversation.note([piece.text])
      conversation.skip(piece.bytes)
      bytes += piece.bytes
      seen_bytes = 0
    } else seen_bytes = piece.bytes
    if (isFound) return
  }
  throw protocolFault(`no line matches ${step}`)
}

/** Silence after which an incomplete line counts as a line, in milliseconds, because prompts have no line end. */
const QUIET_MS = 300

interface Piece {
  text: string
  bytes: number
  /** Whether the piece is a whole line. */
  isLine: boolean
}

/**
 * Returns a reader of the next line. During silence, it also returns an incomplete line if that is longer than `seen_bytes`. The
 * caller must skip the bytes that it used.
 */
function pieceReader(conversation: Conversation, seen_bytes: number): ResponseReader<Piece> {
  let timer: NodeJS.Timeout | undefined
  let isQuiet = false
  return (received) => {
    clearTimeout(timer)
    const end = received.indexOf(0x0a)
    const isLine = end >= 0
    if (!isLine && received.length <= seen_bytes) return undefined
    if (!isLine && !isQuiet && !conversation.isClosed) {
      timer = setTimeout(() => {
        isQuiet = true
        conversation.lookAgain()
      }, QUIET_MS)
      return undefined
    }
    const line = isLine ? received.subarray(0, end + 1) : received
    return { value: { text: line.toString().replace(/\r?\n$/, ''), bytes: line.length, isLine }, length: 0 }
  }
}

const COSTLY = { kind: 'config', words: 'a pattern of the dialogue is too costly for the response' } as const
const INVALID = {
  kind: 'config',
  words: 'a pattern of the dialogue is not a valid regular expression (RE2 syntax)',
} as const

async function search(attempt: Attempt, pattern: string, text: string): Promise<boolean> {
  // The search counts as a wait for this machine, not for the target.
  attempt.waits()
  const found = await attempt.bounds.findPattern?.(pattern, text)
  attempt.goesOn()
  if (found === 'too_costly') throw new ConversationFault(COSTLY)
  if (found === 'no_pattern' || found === undefined) throw new ConversationFault(INVALID)
  return found
}

/** Reads the rest of the response, as for a target without a dialogue, until the content decides the check. */
async function readRest(
  attempt: Attempt,
  conversation: Conversation,
  isEnough: (content: string) => boolean,
): Promise<void> {
  attempt.onTimeout = () => conversation.heard
  const rest = await conversation.read('the response', (received) => {
    const isEnd = conversation.isClosed && conversation.heard !== ''
    const isComplete = isEnd || received.length >= RESPONSE_MAX_BYTES || isEnough(conversation.heard)
    return isComplete ? { value: received.toString(), length: received.length } : undefined
  })
  conversation.note([rest])
}
