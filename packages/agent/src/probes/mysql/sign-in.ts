// Signs in to MySQL or MariaDB by those methods that both products support.
import { constants, createHash, publicEncrypt } from 'node:crypto'
import { ResponseFault } from '../byte-reader.ts'
import type { DatabaseTarget } from '../database.ts'
import { type Greeting, invalid, type Packets } from './packets.ts'

const NATIVE = 'mysql_native_password'
const CACHING = 'caching_sha2_password'
const CLEAR_TEXT = 'mysql_clear_password'

/**
 * Abilities that the client announces. They exclude several statements in one query, and access of the server to files of this
 * machine.
 */
const ABILITIES = {
  long_password: 0x1,
  database: 0x8,
  protocol_41: 0x200,
  tls: 0x800,
  secure: 0x8000,
  methods: 0x8_0000,
} as const
const TRANSACTIONS = 0x2000
const PACKET_MAX = 0x100_0000
const UTF8 = 45

/** Returns the start of the response to the greeting, which is also the request for TLS. */
export function writeOpening({ database, tls }: DatabaseTarget): Buffer {
  const { long_password, protocol_41, secure, methods } = ABILITIES
  const always = long_password | protocol_41 | TRANSACTIONS | secure | methods
  const opening = Buffer.alloc(32)
  opening.writeUInt32LE(always | (database === '' ? 0 : ABILITIES.database) | (tls ? ABILITIES.tls : 0))
  opening.writeUInt32LE(PACKET_MAX, 4)
  opening[8] = UTF8
  return opening
}

/** Signs in. Rejects with the reason if the server refuses. */
export async function signIn(packets: Packets, target: DatabaseTarget, greeting: Greeting): Promise<void> {
  const { user, database } = target
  let method = greeting.method === CACHING ? CACHING : NATIVE
  let { salt } = greeting
  const proof = proofOf(method, target, salt)
  const texts = [...(database === '' ? [] : [`${database}\0`]), `${method}\0`]
  packets.send(
    Buffer.concat([
      writeOpening(target),
      Buffer.from(`${user}\0`),
      Buffer.from([proof.length]),
      proof,
      Buffer.from(texts.join('')),
    ]),
  )
  for (;;) {
    const packet = await packets.next()
    const kind = packet.number(1)
    if (kind === 0x00) return
    if (kind === 0xfe) {
      method = packet.text()
      salt = packet.take(20)
      packets.send(proofOf(method, target, salt))
    } else if (kind === 0x01 && method === CACHING) {
      const step = packet.number(1)
      // 3 means that the server knows the password from an earlier sign-in, so the hash was enough.
      if (step === 4) await sendWhole(packets, target, salt)
      else if (step !== 3) throw invalid()
    } else throw invalid()
  }
}

function proofOf(method: string, { password, tls }: DatabaseTarget, salt: Buffer): Buffer {
  if (method === CLEAR_TEXT) {
    if (tls) return Buffer.from(`${password}\0`)
    throw new ResponseFault('the server asks for the password in clear text, which needs the option tls=yes')
  }
  if (method !== NATIVE && method !== CACHING) {
    const shown = /^\w{1,40}$/.test(method) ? method : 'unknown'
    throw new ResponseFault(`the server asks for the sign-in method ${shown}, which is not supported`)
  }
  if (password === '') return Buffer.alloc(0)
  const hash = (...parts: (Buffer | string)[]): Buffer => {
    const hashed = createHash(method === NATIVE ? 'sha1' : 'sha256')
    for (const part of parts) hashed.update(part)
    return hashed.digest()
  }
  const once = hash(password)
  const twice = hash(once)
  return xor(once, method === NATIVE ? hash(salt, twice) : hash(twice, salt))
}

function xor(bytes: Buffer, key: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (key[index % key.length] ?? 0)))
}

/** Maximum length of the key of a server, in bytes. */
const KEY_MAX_BYTES = 1024

/** Sends the whole password: within TLS, or encrypted for the key of the server. */
async function sendWhole(packets: Packets, { password, tls }: DatabaseTarget, salt: Buffer): Promise<void> {
  const whole = Buffer.from(`${password}\0`)
  if (tls) return packets.send(whole)
  packets.send(Buffer.from([0x02]))
  const answer = await packets.next()
  answer.take(1)
  if (answer.left > KEY_MAX_BYTES) throw invalid()
  const key = answer.take(answer.left).toString('latin1')
  packets.send(encryptFor(key, xor(whole, salt)))
}

function encryptFor(key: string, bytes: Buffer): Buffer {
  try {
    return publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING }, bytes)
  } catch {
    throw invalid()
  }
}
