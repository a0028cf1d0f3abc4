// Signs in to PostgreSQL: without a password, by MD5, or by SCRAM-SHA-256 (RFC 7677).
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ResponseFault } from '../byte-reader.ts'
import type { Link } from '../database.ts'
import { int32, nextMessage, text, typed } from './messages.ts'

interface Account {
  user: string
  password: string
  /** Whether the connection is encrypted. */
  tls: boolean
}

/** Kinds of messages about signing in. */
const OK = 0
const CLEAR_TEXT = 3
const MD5 = 5
const SASL = 10
const SASL_CONTINUE = 11
const SASL_FINAL = 12

const MECHANISM = 'SCRAM-SHA-256'
/** Maximum number of iterations that a server may demand. The usual number is 4096. */
const ITERATIONS_MAX = 200_000
const derive = promisify(pbkdf2)

/** Signs in. Rejects with the reason if the server refuses. */
export async function signIn(link: Link, account: Account): Promise<void> {
  for (;;) {
    const { kind, rest } = await nextAsked(link)
    if (kind === OK) return
    if (kind === SASL) await signInByScram(link, account, rest)
    else link.send(typed('p', text(passwordFor(kind, rest, account))))
  }
}

async function nextAsked(link: Link): Promise<{ kind: number; rest: Buffer }> {
  const { type, body } = await nextMessage(link)
  if (type !== 'R') throw new ResponseFault('the response is not valid PostgreSQL')
  return { kind: body.readInt32BE(0), rest: body.subarray(4) }
}

function passwordFor(kind: number, salt: Buffer, { user, password, tls }: Account): string {
  if (kind === MD5) return `md5${md5(md5(password + user), salt)}`
  if (kind !== CLEAR_TEXT) throw new ResponseFault('the server asks for a sign-in method that is not supported')
  if (!tls) throw new ResponseFault('the server asks for the password in clear text, which needs the option tls=yes')
  return password
}

function md5(...parts: (string | Buffer)[]): string {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

async function signInByScram(link: Link, { password }: Account, mechanisms: Buffer): Promise<void> {
  if (!mechanisms.toString('latin1').split('\0').includes(MECHANISM))
    throw new ResponseFault('the server asks for a sign-in method that is not supported')
  const nonce = randomBytes(18).toString('base64')
  const first = `n=,r=${nonce}`
  const opening = Buffer.from(`n,,${first}`)
  link.send(typed('p', text(MECHANISM), int32(opening.length), opening))
  const challenge = await nextAsked(link)
  if (challenge.kind !== SASL_CONTINUE) throw invalid()
  const asked = challenge.rest.toString()
  const { r: both = '', s: salt = '', i: count = '' } = fieldsOf(asked)
  const iterations = /^\d{1,9}$/.test(count) ? Number(count) : 0
  if (!both.startsWith(nonce) || both === nonce || salt === '' || iterations === 0) throw invalid()
  if (iterations > ITERATIONS_MAX) throw new ResponseFault('the server demands too many iterations for the password')
  const salted = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), iterations, 32, 'sha256')
  const unproven = `c=biws,r=${both}`
  const signed = `${first},${asked},${unproven}`
  const key = hmac(salted, 'Client Key')
  const signature = hmac(createHash('sha256').update(key).digest(), signed)
  const proof = key.map((byte, index) => byte ^ (signature[index] ?? 0))
  link.send(typed('p', Buffer.from(`${unproven},p=${Buffer.from(proof).toString('base64')}`)))
  const { kind, rest } = await nextAsked(link)
  const shown = Buffer.from(fieldsOf(rest.toString()).v ?? '', 'base64')
  const expected = hmac(hmac(salted, 'Server Key'), signed)
  // The server must also know the password.
  if (kind !== SASL_FINAL || shown.length !== expected.length || !timingSafeEqual(shown, expected)) throw invalid()
}

function hmac(key: Buffer, content: string): Buffer {
  return createHmac('sha256', key).update(content).digest()
}

function fieldsOf(message: string): Partial<Record<string, string>> {
  return Object.fromEntries(message.split(',').map((field) => [field.slice(0, 1), field.slice(2)]))
}

function invalid(): ResponseFault {
  return new ResponseFault('the server does not follow the sign-in method SCRAM-SHA-256')
}
