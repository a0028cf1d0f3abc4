// Talks to an FTP server (RFC 959, RFC 4217): greeting, features, AUTH TLS and sign-in. It opens no data connection.
import type { Conversation } from '../conversation.ts'
import { ask, readGreeting, readReply } from './codes.ts'
import type { DialogueScript } from './script.ts'

const protocol = 'FTP'
const FEATURES = 211

export const talkFtp: DialogueScript = async (conversation, { login, starttls, security }) => {
  await readGreeting(conversation, protocol)
  await noteFeatures(conversation)
  if (starttls) {
    await ask(conversation, { protocol, command: 'AUTH TLS' }, [234])
    await conversation.startTls(security)
  }
  if (login) {
    const secret = { protocol, called: 'the sign-in' }
    const { code } = await ask(conversation, { ...secret, command: `USER ${login.user}` }, [230, 331])
    if (code === 331) await ask(conversation, { ...secret, command: `PASS ${login.password}` }, [230, 202])
  }
  conversation.finish('QUIT\r\n')
}

/** Notes the features. A server need not know the command. */
async function noteFeatures(conversation: Conversation): Promise<void> {
  conversation.send('FEAT\r\n')
  const { code, lines } = await readReply(conversation, protocol, 'the response to FEAT')
  if (code === FEATURES) conversation.note(lines)
}
