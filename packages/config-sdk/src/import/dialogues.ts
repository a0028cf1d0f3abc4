// Writes the targets of servers that are checked by their protocol, and of dialogues.
import type { Scheme } from '@dogwatch/check-rules/schemes'
import type { FileCheck } from '../file/format.ts'
import { carried, differently, type Fields, flagOf, impossible, isBlank, type Said, textOf } from './audit.ts'
import { type ItemContext, setTarget, socketUrl } from './requests.ts'
import { bytesIn, withoutSeparators } from './targets.ts'

/** Returns the target of a server. An empty `port` means the usual port of the scheme. */
export function serverUrl(scheme: Scheme, host: string, port: string, isUpgraded = false): string {
  const plain = withoutSeparators(host.trim())
  const address =
    port === '' ? socketUrl(scheme, plain, '').replace(/:$/, '') : socketUrl(scheme, plain, withoutSeparators(port))
  return isUpgraded ? `${address}?starttls=yes` : address
}

/** Sets the target of a Redis server from its connection string, whose password becomes a secret. */
export function setRedis(check: FileCheck, asking: ItemContext, connection: string): Said {
  if (!/^rediss?:\/\//i.test(connection)) return impossible('is not a redis:// address')
  const begin = connection.indexOf('//') + 2
  const length = connection.slice(begin).search(/[/?#]/)
  const address = length < 0 ? connection : connection.slice(0, begin + length)
  const database = connection.slice(address.length).replace(/^\//, '')
  setTarget(check, asking, address)
  if (database !== '' && database !== '0') return impossible('checks do not select a database')
  return address.includes('@') ? differently('only your own monitors run a check that signs in') : carried
}

const STEPS_MAX = 20
/** Pattern of the commands that contain no secret. All other commands are replaced with variables. */
const HARMLESS =
  /^(?:\w{1,8} )?(?:EHLO|HELO|LHLO|STARTTLS|STLS|AUTH TLS|CAPABILITY|CAPA|FEAT|NOOP|QUIT|LOGOUT|PING|PONG|NICK|SSH-2\.0-[\w.-]+)(?: [\w.[\]-]{1,60})?$/i

/**
 * Sets the dialogue of a check. Like blackbox_exporter, ends each sent line with a line feed, and begins TLS at once if the whole
 * probe uses TLS.
 */
export function setSteps(
  check: FileCheck,
  { into, key, thing }: ItemContext,
  given: readonly Fields[],
  isSecure: boolean,
): Said {
  const steps = isSecure ? ['starttls=yes'] : []
  for (const { expect, send, starttls, ...others } of given) {
    const [unknown] = Object.keys(others).filter((field) => field !== 'labels')
    if (unknown !== undefined) return impossible(`the field ${unknown.slice(0, 40)} of query_response is not supported`)
    const [pattern, line] = [textOf(expect), textOf(send)]
    const isOdd = (!isBlank(expect) && pattern === '') || (!isBlank(send) && line === '')
    if (isOdd || (!isBlank(starttls) && flagOf(starttls) === undefined))
      return impossible('the values of a step must be text, and starttls true or false')
    if (/\$\{?\w/.test(line)) return impossible('a dialogue cannot send a part of what it received')
    if (pattern !== '') steps.push(`expect=${encodeURIComponent(pattern)}`)
    if (line !== '') {
      const sent = bytesIn(`${line}\n`)
      const isHarmless = HARMLESS.test(line.trim())
      steps.push(`send=${isHarmless ? sent : into.secret(sent, `dialogue of ${thing}`, key, 'send')}`)
    }
    if (flagOf(starttls) === true) steps.push('starttls=yes')
  }
  if (steps.length > STEPS_MAX) return impossible(`a dialogue has at most ${STEPS_MAX} steps`)
  check.url = `${(check.url ?? '').replace(/^tls:/i, 'tcp:')}?${steps.join('&')}`
  const sends = steps.some((step) => step.startsWith('send='))
  return sends ? differently('becomes a dialogue, which only your own monitors run') : carried
}
