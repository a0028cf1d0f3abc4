// Talks to an SMTP server (RFC 5321): greeting, extensions, STARTTLS and sign-in. It sends no message.
import type { Login } from '@dogwatch/check-rules/dialogues'
import type { Conversation } from '../conversation.ts'
import { ask, readGreeting } from './codes.ts'
import { base64, type DialogueScript, saslPlain } from './script.ts'

const protocol = 'SMTP'

/** Talks SMTP. The client has no name that a server could verify, so it gives an address, as RFC 5321 permits. */
export const talkSmtp: DialogueScript = async (conversation, { login, starttls, security }) => {
  await readGreeting(conversation, protocol)
  let extensions = await greet(conversation)
  if (starttls) {
    await ask(conversation, { protocol, command: 'STARTTLS' }, [220])
    await conversation.startTls(security)
    extensions = await greet(conversation)
  }
  if (login) await signIn(conversation, login, extensions)
  conversation.finish('QUIT\r\n')
}

async function greet(conversation: Conversation): Promise<string[]> {
  const { lines } = await ask(conversation, { protocol, command: 'EHLO [127.0.0.1]' }, [250])
  conversation.note(lines)
  return lines
}

async function signIn(conversation: Conversation, login: Login, extensions: string[]): Promise<void> {
  const secret = { protocol, called: 'the sign-in' }
  const offersPlain = extensions.some((line) => /^250.AUTH\b.*\bPLAIN\b/i.test(line))
  if (offersPlain) {
    await ask(conversation, { ...secret, command: `AUTH PLAIN ${saslPlain(login)}` }, [235])
    return
  }
  await ask(conversation, { ...secret, command: 'AUTH LOGIN' }, [334])
  await ask(conversation, { ...secret, command: base64(login.user) }, [334])
  await ask(conversation, { ...secret, command: base64(login.password) }, [235])
}
