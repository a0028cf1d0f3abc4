// Talks to an IMAP server (RFC 9051): greeting, capabilities, STARTTLS and sign-in. It opens no mailbox.
import { type Conversation, protocolFault, type ReadResponse } from '../conversation.ts'
import { type DialogueScript, quoted, readLine, readLines, refusal } from './script.ts'

export const talkImap: DialogueScript = async (conversation, { login, starttls, security }) => {
  const greeting = await conversation.read('the greeting', readImapGreeting)
  if (!/^\* (?:OK|PREAUTH)\b/i.test(greeting)) throw refusal('the connection', greeting)
  conversation.note([greeting])
  conversation.note(await command(conversation, 'CAPABILITY'))
  if (starttls) {
    await command(conversation, 'STARTTLS')
    await conversation.startTls(security)
    conversation.note(await command(conversation, 'CAPABILITY'))
  }
  if (login) {
    await command(conversation, `LOGIN ${quoted(login.user)} ${quoted(login.password)}`, 'the sign-in')
  }
  conversation.finish('z LOGOUT\r\n')
}

export function readImapGreeting(received: Buffer): ReadResponse<string> | undefined {
  if (!'* '.startsWith(received.toString('latin1', 0, 2))) throw protocolFault('the response is not IMAP')
  return readLine(received)
}

/** Reads the lines of a response to a command. The last line begins with the command's tag. */
export function readImapResponse(received: Buffer): ReadResponse<string[]> | undefined {
  return readLines(received, (line) => line.startsWith(TAG))
}

const TAG = 'a '

/** Sends a command, and resolves with the lines of its response, without the last one. */
async function command(conversation: Conversation, text: string, called = text): Promise<string[]> {
  conversation.send(`${TAG}${text}\r\n`)
  const lines = await conversation.read(`the response to ${called}`, readImapResponse)
  const last = lines.pop() ?? ''
  if (!/^a OK\b/i.test(last)) throw refusal(called, last.slice(TAG.length))
  return lines
}
