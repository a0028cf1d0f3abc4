// Mints certificates for tests: exact dates, any names, no tool needed.
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface Minted {
  cert: string
  key: string
  name: string
  privateKey: KeyObject
  not_after: Date
}

export interface MintOptions {
  /** Common name. */
  name: string
  /** Names and addresses for which it holds. */
  for?: readonly string[]
  /** Absent: signs itself. */
  issuer?: Minted
  is_ca?: boolean
  /** The certificate that it renews, with the same key. */
  keys_of?: Minted
  not_before?: Date
  not_after?: Date
  /** In the place of that date, whatever it is. */
  not_after_as?: string
}

const DAY_MS = 86_400_000

export function mint(options: MintOptions): Minted {
  const privateKey = options.keys_of?.privateKey ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const publicKey = createPublicKey(privateKey)
  const { name, issuer } = options
  const not_before = options.not_before ?? new Date(Date.now() - DAY_MS)
  const not_after = wholeSecond(options.not_after ?? new Date(Date.now() + 90 * DAY_MS))
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    nameOf(issuer?.name ?? name),
    sequence(
      time(not_before),
      options.not_after_as !== undefined ? tagged(0x17, Buffer.from(options.not_after_as)) : time(not_after),
    ),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions(options))),
  )
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey)
  const der = sequence(body, ECDSA_WITH_SHA256, tagged(0x03, Buffer.from([0]), signature))
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { cert: pem(der), key, name, privateKey, not_after }
}

/** Dates in certificates have no fractions. */
function wholeSecond(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000)
}

function extensions({ for: names = [], is_ca }: MintOptions): Buffer[] {
  const made = []
  if (is_ca) made.push(extension('551d13', sequence(tagged(0x01, Buffer.from([0xff])))))
  if (names.length > 0) made.push(extension('551d11', sequence(...names.map(alternativeName))))
  return made.length > 0 ? made : [extension('551d13', sequence())]
}

function extension(oid: string, value: Buffer): Buffer {
  return sequence(tagged(0x06, Buffer.from(oid, 'hex')), tagged(0x04, value))
}

function alternativeName(name: string): Buffer {
  if (isIP(name)) return tagged(0x87, Buffer.from(ipaddr.parse(name).toByteArray()))
  return tagged(0x82, Buffer.from(name))
}

function nameOf(text: string): Buffer {
  const commonName = tagged(0x06, Buffer.from('550403', 'hex'))
  return sequence(tagged(0x31, sequence(commonName, tagged(0x0c, Buffer.from(text)))))
}

function time(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits))
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes)
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts)
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), value])
  if (length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, length]), value])
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), value])
}

const ECDSA_WITH_SHA256 = sequence(tagged(0x06, Buffer.from('2a8648ce3d040302', 'hex')))

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
