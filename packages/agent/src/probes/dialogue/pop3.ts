// Talks to a POP3 server (RFC 1939, RFC 2449, RFC 2595): greeting, capabilities, STLS and sign-in. It reads no message.
import { type Conversation, protocolFault, type ReadResponse } from '../conversation.ts'
import { type DialogueScript, readLine, readLines, refusal } from './script.ts'

export const talkPop3: DialogueScript = async (conversation, { login, starttls, security }) => {
  const greeting = await conversation.read('the greeting', readPop3Line)
  if (!isPositive(greeting)) throw refusal('the connection', greeting)
  conversation.note([greeting])
  await noteCapabilities(conversation)
  if (starttls) {
    await command(conversation, 'STLS')
    await conversation.startTls(security)
    await noteCapabilities(conversation)
  }
  if (login) {
    await command(conversation, `USER ${login.user}`, 'the sign-in')
    await command(conversation, `PASS ${login.password}`, 'the sign-in')
  }
  conversation.finish('QUIT\r\n')
}

function isPositive(line: string): boolean {
  return /^\+OK\b/i.test(line)
}

export function readPop3Line(received: Buffer): ReadResponse<string> | undefined {
  if (!/^(?:[+-].*)?$/s.test(received.toString('latin1', 0, 1))) throw protocolFault('the response is not POP3')
  return readLine(received)
}

/** Reads the list of capabilities, or the refusal of a server that does not know the command. */
export function readPop3List(received: Buffer): ReadResponse<string[]> | undefined {
  const first = readPop3Line(received)
  if (!first) return undefined
  return isPositive(first.value) ? readLines(received, (line) => line === '.') : { value: [], length: first.length }
}

async function noteCapabilities(conversation: Conversation): Promise<void> {
  conversation.send('CAPA\r\n')
  const lines = await conversation.read('the response to CAPA', readPop3List)
  conversation.note(lines.slice(1, -1))
}

async function command(conversation: Conversation, text: string, called = text): Promise<void> {
  conversation.send(`${text}\r\n`)
  const line = await conversation.read(`the response to ${called}`, readPop3Line)
  if (!isPositive(line)) throw refusal(called, line)
}
