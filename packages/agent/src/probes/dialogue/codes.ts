// Reads responses that begin with a code of three digits, as in SMTP and FTP, and sends commands that have such responses.
import { type Conversation, protocolFault, type ReadResponse } from '../conversation.ts'
import { readLines, refusal } from './script.ts'

export interface CodeReply {
  code: number
  lines: string[]
}

/** Reads a response of one or several lines. Throws if the response is not of this protocol. */
export function readCodeReply(received: Buffer, protocol: string): ReadResponse<CodeReply> | undefined {
  const start = received.toString('latin1', 0, 4)
  const code = start.slice(0, 3)
  if (!/^\d{0,3}$/.test(code) || !/^[ \r\n-]?$/.test(start.slice(3)))
    throw protocolFault(`the response is not ${protocol}`)
  let isFirst = true
  const reply = readLines(received, (line) => {
    const isLast = line.startsWith(code) && line[3] !== '-'
    const isOnly = isFirst && isLast
    isFirst = false
    return isOnly || (line.startsWith(`${code} `) && isLast)
  })
  return reply && { value: { code: Number(code), lines: reply.value }, length: reply.length }
}

export interface CodeCommand {
  protocol: string
  command: string
  /** Name of the command in faults. Absent if the command contains no secret, so that faults can name it as it is. */
  called?: string
}

/** Sends a command, and resolves with its response. Rejects if the response has a code that the caller does not accept. */
export async function ask(
  conversation: Conversation,
  { protocol, command, called = command.split(' ', 1)[0] ?? '' }: CodeCommand,
  accepted: readonly number[],
): Promise<CodeReply> {
  conversation.send(`${command}\r\n`)
  const reply = await readReply(conversation, protocol, `the response to ${called}`)
  if (!accepted.includes(reply.code)) throw refusal(called, reply.lines.at(-1) ?? '')
  return reply
}

export function readReply(conversation: Conversation, protocol: string, waitsFor: string): Promise<CodeReply> {
  return conversation.read(waitsFor, (received) => readCodeReply(received, protocol))
}

/** Reads the greeting, which must have the code 220. */
export async function readGreeting(conversation: Conversation, protocol: string): Promise<void> {
  const greeting = await readReply(conversation, protocol, 'the greeting')
  // A server of FTP can announce a delay.
  if (protocol === 'FTP' && greeting.code === 120) return readGreeting(conversation, protocol)
  if (greeting.code !== 220) throw refusal('the connection', greeting.lines.at(-1) ?? '')
  conversation.note(greeting.lines)
}
