// Trials of the parsers of agents and SDKs, and of those of the platform, which are used everywhere.
import ipaddr from 'ipaddr.js'
import { ExportReader } from '../../../../account-sdk/src/export-reader.ts'
import { verifyWebhook } from '../../../../account-sdk/src/webhooks.ts'
import { namesIn } from '../../../../agent/src/definitions/json-names.ts'
import { parseDefinitions } from '../../../../agent/src/definitions/private-definitions.ts'
import { readContentMatch } from '../../../../agent/src/matching/content-match.ts'
import { hostOf, isLocal, isOwnName } from '../../../../agent/src/outages/connectivity.ts'
import { readCertificate } from '../../../../agent/src/probes/certificate.ts'
import { certificateFact } from '../../../../agent/src/probes/certificate-facts.ts'
import { element } from '../../../../agent/src/probes/dialogue/ber.ts'
import { readCodeReply } from '../../../../agent/src/probes/dialogue/codes.ts'
import { readImapGreeting, readImapResponse } from '../../../../agent/src/probes/dialogue/imap.ts'
import { readLdapMessage } from '../../../../agent/src/probes/dialogue/ldap.ts'
import { readPop3List } from '../../../../agent/src/probes/dialogue/pop3.ts'
import { readRedisLine } from '../../../../agent/src/probes/dialogue/redis.ts'
import { readAlgorithms, readSshPacket } from '../../../../agent/src/probes/dialogue/ssh.ts'
import { readResponse, writeQuery } from '../../../../agent/src/probes/dns/message.ts'
import { recordData } from '../../../../agent/src/probes/dns/record-data.ts'
import { WireReader } from '../../../../agent/src/probes/dns/wire.ts'
import { codeName, readState } from '../../../../agent/src/probes/grpc/health.ts'
import { decodeText } from '../../../../agent/src/probes/http/charset.ts'
import { Cookies } from '../../../../agent/src/probes/http/cookies.ts'
import { readEncodings } from '../../../../agent/src/probes/http/decoder.ts'
import { cleanHead, isClean } from '../../../../agent/src/probes/http/head.ts'
import { follow } from '../../../../agent/src/probes/http/redirect.ts'
import { headerLines } from '../../../../agent/src/probes/http/request-headers.ts'
import { PacketCursor, readGreeting } from '../../../../agent/src/probes/mysql/packets.ts'
import { readError } from '../../../../agent/src/probes/postgres/messages.ts'
import { planRuns } from '../../../../agent/src/schedule/planning.ts'
import { readRule } from '../../../../domain/src/maintenance/rule.ts'
import { retryAfterSeconds } from '../../../../monitor-sdk/src/core/retry.ts'
import { refused, type Trial } from './trial.ts'

const CHECK = { name: 'x', url: 'https://x.example/', interval_sec: 60 }
const NOW = new Date('2026-11-20T12:00:00Z')

/** Trials by the names under which the list of parsers has them. */
export const OF_AGENTS: Readonly<Record<string, Trial>> = {
  'JSON.parse': (text) => JSON.parse(text) as unknown,
  'new URL': (text) =>
    [text, `https://${text}`, `https://x.example/${text}`, `https://u:${text}@x.example`].map((url) =>
      URL.canParse(url),
    ),
  'new URLSearchParams': (text) => new URLSearchParams(text).get('x'),
  decodeURIComponent: (text) => decodeURIComponent(text),
  'encoded bytes': (text) => [Buffer.from(text, 'base64'), Buffer.from(text, 'base64url'), Buffer.from(text, 'hex')],
  split: (text) =>
    ['.', ':', '/', ',', '\n', '\u001f', '@', '?', /[/\\]/, /\r\n|\r|\n/].map((mark) => text.split(mark)),
  'Date.parse': (text) => [Date.parse(text), Date.parse(`2026-11-20T10:00:00.${text}Z`), Date.parse(`Fri, ${text}`)],
  ipaddr: (text) => [ipaddr.isValid(text), ipaddr.isValid(`::${text}`), ipaddr.parseCIDR(`${text}/8`)],
  'head of an answer': (text) =>
    [
      `HTTP/1.1 200 OK\r\n${text}\r\n\r\n`,
      `HTTP/1.1 200 ${text}\r\n\r\n`,
      `HTTP/1.1 200 OK\r\ncontent-length:${text}\r\n\r\n`,
    ].map((head) => [isClean(head), cleanHead(head)]),
  certificate: (text) => {
    const subjectAltName = `DNS:"${text}`
    const presented = { validTo: 'Nov 20 10:00:00 2027 GMT', subject: text, subjectAltName, issuer: text }
    const certificate = { not_after: NOW, presented } as never
    return [
      readCertificate(presented as never, 'TLSv1.3', false),
      ...['subject', 'issuer', 'names'].map((property) => certificateFact(certificate, property, NOW)),
    ]
  },
  redirect: (text) =>
    ['', '//', '/', 'https://x.example/'].map((begins) =>
      follow(
        { url: new URL('https://a:b@x.example/'), method: 'GET', headers: {}, body: '', isPrivate: false },
        302,
        begins + text,
      ),
    ),
  'request of a check': (text) => {
    const url = new URL(`https://u:${text}@x.example/`)
    return headerLines({ url, method: 'GET', headers: { [text]: text }, body: text } as never, new Cookies())
  },
  'cookie of an answer': (text) => {
    const cookies = new Cookies()
    const url = new URL('https://x.example/')
    cookies.keep(url, [text, `a=b;${text}`, `a=b;domain=${text}`, `a=b;expires=${text}`], new Date(0))
    return cookies.headerFor(url, text)
  },
  'charset of a body': (text) => [
    decodeText(Buffer.from(text), { contentType: `text/html;charset=${text}`, isCut: false }),
    decodeText(Buffer.from(`<meta ${text}`), { contentType: 'text/html', isCut: true }),
    decodeText(Buffer.from(text, 'latin1'), { contentType: undefined, isCut: true }),
  ],
  'encoding of a body': (text) => readEncodings(text),
  'names in a definition': (text) => (refused(() => JSON.parse(text) as unknown), namesIn(text)),
  'private definitions': (text) => parseDefinitions(text),
  'answer to a sync': (text) =>
    planRuns([{ ...CHECK, guid: text, url: `https://${text}`, match_string: text } as never], new Map()),
  'pattern of a check': (text) =>
    ['contains', 'regex'].map((match_mode) => readContentMatch({ ...CHECK, match_mode, match_string: text } as never)),
  'response of a name server': (text) => {
    const question = { name: 'x.example', type: 16, wantsRecursion: true, wantsAd: false }
    const head = writeQuery(1, question)
    head.set([0x80, 0], 2)
    head.set([0xff, 0xff, 0xff, 0xff, 0, 0], 6)
    // The record about sizes is left out.
    const message = Buffer.concat([head.subarray(0, -11), Buffer.from(text, 'latin1')])
    return [
      refused(() => readResponse(message, 1, question)),
      refused(() => recordData(16, new WireReader(message, 12))),
    ]
  },
  'response of an application': (text) => {
    const bytes = Buffer.from(text, 'latin1')
    const cursor = new PacketCursor(Buffer.concat([Buffer.from([10]), bytes]))
    return [readError(bytes), readState(bytes), codeName(text), refused(() => readGreeting(cursor))]
  },
  'words of a dialogue': (text) => {
    const words = Buffer.from(text, 'latin1')
    const packet = Buffer.concat([Buffer.from([0, 0, 15, 0, 4]), words])
    return [
      ...[words, Buffer.concat([Buffer.from('220-'), words])].map((said) => refused(() => readCodeReply(said, 'SMTP'))),
      ...[readImapGreeting, readImapResponse, readPop3List, readRedisLine, readSshPacket, readLdapMessage].map((read) =>
        refused(() => read(words)),
      ),
      ...[readImapResponse, readPop3List].map((read) =>
        refused(() => read(Buffer.concat([Buffer.from('+OK\n'), words]))),
      ),
      refused(() => readSshPacket(packet)),
      readAlgorithms(Buffer.concat([Buffer.from([20]), words])),
      refused(() => readLdapMessage(element(0x30, words.subarray(0, 60_000)))),
    ]
  },
  'name that was looked up': (text) => [hostOf(`https://${text}`), isLocal(text), isOwnName(text)],
  export: (text) => new ExportReader((() => new Error()) as never).take(Buffer.from(text)),
  webhook: (text) => {
    const signatures = 'v1,AAAA '.repeat(text.length / 8)
    const timestamp = String(Math.floor(Date.now() / 1000))
    const given = [signatures, text, `v1,${text}`].map((one) => ({
      'webhook-id': 'a',
      'webhook-timestamp': timestamp,
      'webhook-signature': one,
    }))
    return Promise.allSettled(given.map((headers) => verifyWebhook({ headers, body: text }, { secret: 'secret' })))
  },
  'recurrence rule': (text) => [readRule(text), readRule(`FREQ=DAILY;BYDAY=${text}`), readRule(`FREQ=DAILY;${text}`)],
  'retry-after': (text) => retryAfterSeconds({ get: () => text } as never, 0),
}
