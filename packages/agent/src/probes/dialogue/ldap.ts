// Talks to an LDAP server (RFC 4511): StartTLS, sign-in, and a search for the description of the server itself.
import { type Conversation, protocolFault, RESPONSE_MAX_BYTES, type ReadResponse } from '../conversation.ts'
import { type BerElement, BerFault, element, elementsIn, numeric, readElement, TAGS } from './ber.ts'
import { type DialogueScript, refusal } from './script.ts'

const START_TLS = '1.3.6.1.4.1.1466.20037'
/** Attributes that describe the server. */
const ATTRIBUTES = ['namingContexts', 'supportedLDAPVersion', 'vendorName', 'vendorVersion']
/** Tags of requests and responses. */
const OPERATION = { bind: 0x60, unbind: 0x42, search: 0x63, entry: 0x64, done: 0x65, extended: 0x77, name: 0x80 }
const PRESENT = 0x87
const ENTRIES_MAX = 10

export const talkLdap: DialogueScript = async (conversation, { login, starttls, security }) => {
  if (starttls) {
    send(conversation, element(OPERATION.extended, element(OPERATION.name, START_TLS)))
    requireSuccess('StartTLS', await respond(conversation, 'the response to StartTLS'))
    await conversation.startTls(security)
  }
  if (login) {
    const password = element(OPERATION.name, login.password)
    send(conversation, element(OPERATION.bind, numeric(TAGS.integer, 3), element(TAGS.text, login.user), password))
    requireSuccess('the sign-in', await respond(conversation, 'the response to the sign-in'))
  }
  send(conversation, searchRequest())
  for (let entries = 0; ; entries++) {
    const response = await respond(conversation, 'the description of the server')
    if (response.tag !== OPERATION.entry || entries > ENTRIES_MAX) {
      requireSuccess('the search', response)
      break
    }
    conversation.note(read(() => linesOf(response)))
  }
  conversation.finish(message(element(OPERATION.unbind)))
}

function searchRequest(): Buffer {
  const attributes = ATTRIBUTES.map((name) => element(TAGS.text, name))
  const [baseObject, neverDereference] = [numeric(TAGS.enumerated, 0), numeric(TAGS.enumerated, 0)]
  return element(
    OPERATION.search,
    element(TAGS.text),
    baseObject,
    neverDereference,
    ...[numeric(TAGS.integer, 0), numeric(TAGS.integer, 0), numeric(TAGS.boolean, 0)],
    element(PRESENT, 'objectClass'),
    element(TAGS.sequence, ...attributes),
  )
}

/** Returns a message. All have the same number, because the next is sent only after the response. */
function message(operation: Buffer): Buffer {
  return element(TAGS.sequence, numeric(TAGS.integer, 1), operation)
}

function send(conversation: Conversation, operation: Buffer): void {
  conversation.send(message(operation))
}

function respond(conversation: Conversation, waitsFor: string): Promise<BerElement> {
  return conversation.read(waitsFor, readLdapMessage)
}

/** Reads the operation of a message. */
export function readLdapMessage(received: Buffer): ReadResponse<BerElement> | undefined {
  if (received.length > 0 && received[0] !== TAGS.sequence) throw NOT_LDAP()
  return read(() => {
    const whole = readElement(received)
    // If the announced length is too large, the probe does not wait for the rest.
    if (!whole) return received.length > 6 && lengthIn(received) > RESPONSE_MAX_BYTES ? notLdap() : undefined
    const [, operation] = elementsIn(whole.element.content)
    return operation ? { value: operation, length: whole.length } : notLdap()
  })
}

function lengthIn(received: Buffer): number {
  const first = received.readUInt8(1)
  return first < 0x80 ? first : received.readUIntBE(2, first & 0x7f)
}

const NOT_LDAP = () => protocolFault('the response is not LDAP')

function notLdap(): never {
  throw NOT_LDAP()
}

function read<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw error instanceof BerFault ? NOT_LDAP() : error
  }
}

/** Names of results (RFC 4511, appendix A) that a check can meet. */
const RESULTS = new Map([
  [1, 'operationsError'],
  [2, 'protocolError'],
  [7, 'authMethodNotSupported'],
  [8, 'strongerAuthRequired'],
  [13, 'confidentialityRequired'],
  [32, 'noSuchObject'],
  [48, 'inappropriateAuthentication'],
  [49, 'invalidCredentials'],
  [50, 'insufficientAccessRights'],
  [51, 'busy'],
  [52, 'unavailable'],
  [53, 'unwillingToPerform'],
])

/** Throws the refusal of a response whose result is not a success. */
function requireSuccess(what: string, { content }: BerElement): void {
  const [result, , words] = read(() => elementsIn(content))
  const code = result?.tag === TAGS.enumerated && result.content.length === 1 ? result.content.readUInt8() : undefined
  if (code === undefined) throw NOT_LDAP()
  if (code === 0) return
  const said = words?.content.toString() ?? ''
  throw refusal(what, `${RESULTS.get(code) ?? 'result'} (${code})${said === '' ? '' : `: ${said}`}`)
}

/** Returns the attributes of an entry, each value as a line. */
function linesOf({ content }: BerElement): string[] {
  const [, attributes] = elementsIn(content)
  return elementsIn(attributes?.content ?? Buffer.alloc(0)).flatMap((attribute) => {
    const [type, values] = elementsIn(attribute.content)
    return elementsIn(values?.content ?? Buffer.alloc(0)).map(
      (value) => `${String(type?.content)}: ${String(value.content)}`,
    )
  })
}
