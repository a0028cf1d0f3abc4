// Reads the targets of protocols that are dialogues: mail, FTP, Redis and LDAP, and the dialogues that members write.
import { type Fault, type HostAndPort, parted, readHostAndPort } from './address.ts'
import { CERTIFICATE, MATCH } from './field-groups.ts'
import { readOptions, readSteps, readText } from './options.ts'
import { PATTERN_MAX_WEIGHT, weigh } from './pattern.ts'

/** Options of protocols that can begin TLS on a connection that is open. */
export const STARTTLS_OPTIONS = {
  /** Whether the connection must become encrypted before anything secret is sent. */
  starttls: {
    kind: 'yes-no',
    label: 'Use STARTTLS',
    hint: 'Encrypts the connection before the check signs in. The check fails if the server does not offer it.',
  },
} as const

export interface Login {
  /** User name to sign in with. Empty if the protocol allows a password without a user name. */
  user: string
  password: string
}

export interface DialogueAddress extends HostAndPort {
  /** Absent if the check does not sign in. */
  login?: Login
  starttls: boolean
}

/** Reads a target with an optional sign-in, and without options. */
export function readWithLogin(rest: string, scheme: string, port?: number): DialogueAddress | Fault {
  const at = rest.lastIndexOf('@')
  const address = readHostAndPort(rest.slice(at + 1), scheme, port)
  if ('fault' in address) return address
  if (at < 0) return { ...address, starttls: false }
  const login = readLogin(rest.slice(0, at), scheme)
  return 'fault' in login ? login : { ...address, login, starttls: false, needs_own_monitor: true }
}

export function readWithStartTls(rest: string, scheme: string, port?: number): DialogueAddress | Fault {
  const { authority, query } = parted(rest)
  const address = readWithLogin(authority, scheme, port)
  if ('fault' in address) return address
  const options = readOptions(STARTTLS_OPTIONS, query)
  return 'fault' in options ? options : { ...address, ...options }
}

/** Schemes whose servers can have a password without a user. */
const WITHOUT_USER: readonly string[] = ['redis', 'rediss']
const LOGIN_MAX = 255

function readLogin(text: string, scheme: string): Login | Fault {
  const at = text.indexOf(':')
  const needsUser = !WITHOUT_USER.includes(scheme)
  if (at < 0 || at === text.length - 1 || (needsUser && at === 0))
    return { fault: 'must have a user name and a password, separated by a colon, before the last @' }
  const [user, password] = [text.slice(0, at), text.slice(at + 1)].map((part) => (part === '' ? '' : readWord(part)))
  return user === undefined || password === undefined
    ? { fault: 'must have a user name and a password without control characters, with / ? # % and \\ as %HH' }
    : { user, password }
}

/**
 * Decodes the user name or the password in a target. Returns undefined for characters that would end the login in the URL, and
 * for control characters, which could end a command.
 */
function readWord(part: string): string | undefined {
  const word = /[/\\?#]/.test(part) ? undefined : readText(part, LOGIN_MAX)
  return word === undefined || /\p{Cc}/u.test(word) ? undefined : word
}

const STEPS_MAX = 20
const SEND_MAX_BYTES = 1024
const EXPECT_MAX_CHARS = 500

/** Options of a TCP target: the steps of a dialogue, in their order. */
export const STEP_OPTIONS = {
  /** Regular expression that a line from the target must match. Lines before that line are skipped. */
  expect: { kind: 'text', max: EXPECT_MAX_CHARS },
  /** Bytes to send, which can be a secret like the body of a request. */
  send: { kind: 'bytes', max: SEND_MAX_BYTES, isSecret: true },
  /** Step that makes the TLS handshake. */
  starttls: { kind: 'word', words: ['yes'] },
} as const

/** Step of a dialogue that a member wrote. */
export type DialogueStep =
  | { does: 'expect'; pattern: string }
  | { does: 'send'; bytes: Uint8Array }
  | { does: 'starttls' }

export interface TcpAddress extends HostAndPort {
  /** Steps of the dialogue. Empty if the check only connects. */
  steps: readonly DialogueStep[]
  starttls: boolean
}

/** Reads a TCP target, with or without a dialogue. Its patterns are not too large, but may be invalid. */
export function readTcp(rest: string, scheme: string): TcpAddress | Fault {
  const { authority, query } = parted(rest)
  const address = readHostAndPort(authority, scheme)
  if ('fault' in address) return address
  const pairs = readSteps(STEP_OPTIONS, query, STEPS_MAX)
  if ('fault' in pairs) return pairs
  const steps = pairs.map(stepOf)
  const handshakes = steps.filter(({ does }) => does === 'starttls').length
  if (handshakes > 1) return { fault: 'must have the option starttls only once' }
  const weight = patternsInSteps(steps).reduce((sum, pattern) => sum + weigh(pattern), 0)
  if (weight > PATTERN_MAX_WEIGHT) {
    return {
      fault: `must have simpler regular expressions as the options expect; the limit is ${PATTERN_MAX_WEIGHT} steps`,
    }
  }
  const sends = steps.some(({ does }) => does === 'send')
  return { ...address, steps, starttls: handshakes > 0, ...(sends ? { needs_own_monitor: true } : {}) }
}

function stepOf({ name, value }: { name: string; value: unknown }): DialogueStep {
  if (name === 'expect') return { does: 'expect', pattern: String(value) }
  return name === 'send' ? { does: 'send', bytes: value as Uint8Array } : { does: 'starttls' }
}

/** Returns the regular expressions of a dialogue. */
export function patternsInSteps(steps: readonly DialogueStep[]): string[] {
  return steps.flatMap((step) => (step.does === 'expect' ? step.pattern : []))
}

/** Returns how many steps send something before the connection is encrypted. */
export function sendsInClear(steps: readonly DialogueStep[]): number {
  const handshake = steps.findIndex(({ does }) => does === 'starttls')
  return steps.slice(0, handshake < 0 ? steps.length : handshake).filter(({ does }) => does === 'send').length
}

const DIALOGUE = {
  read: readWithLogin,
  content: { called: 'response', isQuoted: true },
  fields: [...MATCH, ...CERTIFICATE],
} as const
const ENCRYPTED = { ...DIALOGUE, isTls: true } as const
const UPGRADABLE = { ...DIALOGUE, read: readWithStartTls, isTls: false, options: STARTTLS_OPTIONS } as const

const SMTP = { ability: 'smtp', label: 'SMTP server', group: 'Mail' } as const
const IMAP = { ability: 'imap', label: 'IMAP server', group: 'Mail' } as const
const POP3 = { ability: 'pop3', label: 'POP3 server', group: 'Mail' } as const
const FTP = { ability: 'ftp', label: 'FTP server', group: 'Network' } as const
const REDIS = { ability: 'redis', label: 'Redis server', group: 'Databases and messages', port: 6379 } as const
const LDAP = { ability: 'ldap', label: 'LDAP server', group: 'Network' } as const

/** Rows of the schemes of protocols that are dialogues. */
export const DIALOGUE_SCHEMES = {
  smtp: {
    ...UPGRADABLE,
    ...SMTP,
    port: 25,
    hint: 'smtp://host to check an SMTP server',
    example: 'smtp://mail.example.com',
  },
  smtps: { ...ENCRYPTED, ...SMTP, port: 465, offered_as: 'smtp', example: 'smtps://mail.example.com' },
  imap: {
    ...UPGRADABLE,
    ...IMAP,
    port: 143,
    hint: 'imap://host to check an IMAP server',
    example: 'imap://mail.example.com',
  },
  imaps: { ...ENCRYPTED, ...IMAP, port: 993, offered_as: 'imap', example: 'imaps://mail.example.com' },
  pop3: {
    ...UPGRADABLE,
    ...POP3,
    port: 110,
    hint: 'pop3://host to check a POP3 server',
    example: 'pop3://mail.example.com',
  },
  pop3s: { ...ENCRYPTED, ...POP3, port: 995, offered_as: 'pop3', example: 'pop3s://mail.example.com' },
  ftp: {
    ...UPGRADABLE,
    ...FTP,
    port: 21,
    hint: 'ftp://host to check an FTP server',
    example: 'ftp://ftp.example.com',
  },
  ftps: { ...ENCRYPTED, ...FTP, port: 990, offered_as: 'ftp', example: 'ftps://ftp.example.com' },
  ssh: {
    ...DIALOGUE,
    read: readHostAndPort,
    fields: MATCH,
    port: 22,
    isTls: false,
    ability: 'ssh',
    label: 'SSH server',
    group: 'Network',
    hint: 'ssh://host to check an SSH server',
    example: 'ssh://example.com',
  },
  redis: {
    ...DIALOGUE,
    ...REDIS,
    fields: MATCH,
    isTls: false,
    hint: 'redis://host to check a Redis server',
    example: 'redis://redis.example.com',
  },
  rediss: { ...ENCRYPTED, ...REDIS, offered_as: 'redis', example: 'rediss://redis.example.com' },
  ldap: {
    ...UPGRADABLE,
    ...LDAP,
    port: 389,
    hint: 'ldap://host to check an LDAP server',
    example: 'ldap://ldap.example.com',
  },
  ldaps: { ...ENCRYPTED, ...LDAP, port: 636, offered_as: 'ldap', example: 'ldaps://ldap.example.com' },
} as const
