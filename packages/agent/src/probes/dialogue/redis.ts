// Talks to a Redis server: signs in if the check has a password, and sends PING.
import { type Conversation, protocolFault, type ReadResponse } from '../conversation.ts'
import { type DialogueScript, readLine, refusal } from './script.ts'

export const talkRedis: DialogueScript = async (conversation, { login }) => {
  if (login) {
    const words = login.user === '' ? [login.password] : [login.user, login.password]
    const line = await command(conversation, 'the response to AUTH', ['AUTH', ...words])
    if (line !== '+OK') throw refusal('the sign-in', line)
  }
  const line = await command(conversation, 'the response to PING', ['PING'])
  if (line !== '+PONG') throw refusal('PING', line)
  conversation.note([line.slice(1)])
  conversation.finish(written(['QUIT']))
}

/** Reads a simple response or an error of RESP. */
export function readRedisLine(received: Buffer): ReadResponse<string> | undefined {
  if (!/^[+-]?$/.test(received.toString('latin1', 0, 1))) throw protocolFault('the response is not Redis')
  return readLine(received)
}

function command(conversation: Conversation, waitsFor: string, words: readonly string[]): Promise<string> {
  conversation.send(written(words))
  return conversation.read(waitsFor, readRedisLine)
}

/** Returns a command as an array of RESP. */
function written(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
}
