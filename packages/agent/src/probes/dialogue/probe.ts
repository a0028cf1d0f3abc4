// Probes the targets of protocols that are dialogues, each with the script of its protocol.
import type { DIALOGUE_SCHEMES } from '@dogwatch/check-rules/dialogues'
import { schemeRow } from '@dogwatch/check-rules/schemes'
import { converse } from '../conversation.ts'
import { securityOf } from '../dial.ts'
import type { Probe } from '../probe.ts'
import { talkFtp } from './ftp.ts'
import { talkImap } from './imap.ts'
import { talkLdap } from './ldap.ts'
import { talkPop3 } from './pop3.ts'
import { talkRedis } from './redis.ts'
import { type DialogueScript, secretsOf } from './script.ts'
import { talkSmtp } from './smtp.ts'
import { talkSsh } from './ssh.ts'

type DialogueScheme = keyof typeof DIALOGUE_SCHEMES

const SCRIPTS: Readonly<Record<DialogueScheme, DialogueScript>> = {
  smtp: talkSmtp,
  smtps: talkSmtp,
  imap: talkImap,
  imaps: talkImap,
  pop3: talkPop3,
  pop3s: talkPop3,
  ftp: talkFtp,
  ftps: talkFtp,
  ssh: talkSsh,
  redis: talkRedis,
  rediss: talkRedis,
  ldap: talkLdap,
  ldaps: talkLdap,
}

export const probeDialogue: Probe<DialogueScheme> = (attempt, target, check) => {
  const { scheme, host, port } = target
  const security = securityOf(host, check)
  const login = 'login' in target ? target.login : undefined
  const starttls = 'starttls' in target && target.starttls
  const secure = schemeRow(scheme).isTls ? { secure: security } : {}
  converse(attempt, { host, port, ...secure, secrets: login ? secretsOf(login) : [] }, (conversation) =>
    SCRIPTS[scheme](conversation, { login, starttls, security }),
  )
}
