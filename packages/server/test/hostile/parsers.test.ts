// Every parser that meets the text of strangers takes time in proportion to it. Each place in what we ship that takes a text apart is
// listed here, so that a new one fails until it is listed, and tried.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { secretsIn } from '@dogwatch/channels/destination'
import { askRdap } from '@dogwatch/channels/rdap'
import { channelKinds } from '@dogwatch/channels/registry'
import { secretsOf, withoutSecrets } from '@dogwatch/channels/secrets'
import { oneLine } from '@dogwatch/channels/wording'
import { readJsonPath } from '@dogwatch/check-rules/json-path'
import { faultOfPattern, faultOfSize } from '@dogwatch/check-rules/pattern'
import { faultOfMethod, readProxy } from '@dogwatch/check-rules/request'
import { hideInUrl } from '@dogwatch/check-rules/secrets'
import { faultOfStatuses, readStatusLine } from '@dogwatch/check-rules/statuses'
import { isInternalHost, isPublicAddress, readTarget } from '@dogwatch/check-rules/target'
import { document as account } from '@dogwatch/contract/account'
import { document as config } from '@dogwatch/contract/config'
import { document as monitor } from '@dogwatch/contract/monitor'
import { readJson } from '@dogwatch/runtime/json-text'
import { MOST_QUERY_CHARS } from '@dogwatch/runtime/openid'
import { readSignedToken } from '@dogwatch/runtime/signed-tokens'
import { isDateTime, toMicroseconds } from '@dogwatch/runtime/timestamps'
import { looksLikeToken } from '@dogwatch/runtime/tokens'
import { describe, expect, test } from '@jest/globals'
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import ipaddr from 'ipaddr.js'
import { authorizationCodeGrant, Configuration, customFetch, fetchUserInfo } from 'openid-client'
import ts from 'typescript'
import { encode } from 'uqr'
import { ROOMS } from '../../../../scripts/testing/laws.ts'
import { ExportReader } from '../../../account-sdk/src/export-reader.ts'
import { verifyWebhook } from '../../../account-sdk/src/webhooks.ts'
import { namesIn } from '../../../agent/src/definitions/json-names.ts'
import { parseDefinitions } from '../../../agent/src/definitions/private-definitions.ts'
import { readContentMatch } from '../../../agent/src/matching/content-match.ts'
import { hostOf, isLocal, isOwnName } from '../../../agent/src/outages/connectivity.ts'
import { readCertificate } from '../../../agent/src/probes/certificate.ts'
import { certificateFact } from '../../../agent/src/probes/certificate-facts.ts'
import { element } from '../../../agent/src/probes/dialogue/ber.ts'
import { readCodeReply } from '../../../agent/src/probes/dialogue/codes.ts'
import { readImapGreeting, readImapResponse } from '../../../agent/src/probes/dialogue/imap.ts'
import { readLdapMessage } from '../../../agent/src/probes/dialogue/ldap.ts'
import { readPop3List } from '../../../agent/src/probes/dialogue/pop3.ts'
import { readRedisLine } from '../../../agent/src/probes/dialogue/redis.ts'
import { readAlgorithms, readSshPacket } from '../../../agent/src/probes/dialogue/ssh.ts'
import { readResponse, writeQuery } from '../../../agent/src/probes/dns/message.ts'
import { recordData } from '../../../agent/src/probes/dns/record-data.ts'
import { WireReader } from '../../../agent/src/probes/dns/wire.ts'
import { codeName, readState } from '../../../agent/src/probes/grpc/health.ts'
import { decodeText } from '../../../agent/src/probes/http/charset.ts'
import { Cookies } from '../../../agent/src/probes/http/cookies.ts'
import { readEncodings } from '../../../agent/src/probes/http/decoder.ts'
import { cleanHead, isClean } from '../../../agent/src/probes/http/head.ts'
import { follow } from '../../../agent/src/probes/http/redirect.ts'
import { headerLines } from '../../../agent/src/probes/http/request-headers.ts'
import { PacketCursor, readGreeting } from '../../../agent/src/probes/mysql/packets.ts'
import { readError } from '../../../agent/src/probes/postgres/messages.ts'
import { planRuns } from '../../../agent/src/schedule/planning.ts'
import { answerOutcome } from '../../../channels/src/answer.ts'
import { faultWords } from '../../../channels/src/fault.ts'
import { secretFault, sign } from '../../../channels/src/webhook/signature.ts'
import { headersFault } from '../../../channels/src/webhook-template/headers.ts'
import { render } from '../../../channels/src/webhook-template/render.ts'
import { retryAfterSeconds } from '../../../monitor-sdk/src/core/retry.ts'
import { Reach } from '../../src/alerting/reach.ts'
import { readCookie } from '../../src/console/cookies.ts'
import { isCsrfToken } from '../../src/console/csrf.ts'
import { findPage } from '../../src/console/find-route.ts'
import { Form } from '../../src/console/form.ts'
import { destinationOf } from '../../src/console/pages/channels/parts.tsx'
import { wordsOf } from '../../src/console/pages/checks/assertion-drafts.ts'
import { draftFrom, entryOf, readDraft } from '../../src/console/pages/checks/draft.ts'
import { faultsOfForm } from '../../src/console/pages/checks/form-faults.ts'
import { queryOf, viewIn, viewOf } from '../../src/console/pages/checks/list-view.ts'
import { ruleWords } from '../../src/console/pages/maintenance/rule-words.ts'
import { readDuration } from '../../src/console/parts/duration.ts'
import { returnPath } from '../../src/console/return-path.ts'
import { ROUTES } from '../../src/console/routes.ts'
import { clockText, timesFor } from '../../src/console/times.ts'
import { readEntries } from '../../src/domain/checks/file.ts'
import { redact, secretsOf as secretsOfCheck } from '../../src/domain/checks/redact.ts'
import { readRange } from '../../src/domain/configuration/tokens.ts'
import { DomainError } from '../../src/domain/errors.ts'
import { readCron } from '../../src/domain/heartbeats/schedule.ts'
import { toIncidentPosition } from '../../src/domain/incidents/list.ts'
import { incidentMarkdown } from '../../src/domain/incidents/markdown.ts'
import { registeredName } from '../../src/domain/judged/domains.ts'
import { addressBlock, addressNetwork } from '../../src/domain/limits/address.ts'
import { readRule } from '../../src/domain/maintenance/rule.ts'
import { planOf } from '../../src/domain/organisations/plans.ts'
import { mailboxOf } from '../../src/domain/people/mailbox.ts'
import { transportsIn } from '../../src/domain/people/passkeys.ts'
import { requireName, toStorable } from '../../src/domain/text.ts'
import { readBearer } from '../../src/http/bearer.ts'
import { readJsonBody } from '../../src/http/body.ts'
import { clientAddress } from '../../src/http/client.ts'
import { readIfMatch } from '../../src/http/config-api/wire.ts'
import { tailText } from '../../src/http/pings/body.ts'
import { findRoute, listRoutes } from '../../src/http/routes.ts'
import { surfaceOf } from '../../src/http/surface.ts'
import { faultOfGrowth, WORST } from '../support/linear.ts'

type Trial = (text: string) => unknown
const LIMIT = { bytes: 1024 * 1024, status: 400 } as const
const PUT_BACK = { kind: 'retry', status: 503 } as const
const request = (fields: object) => Object.assign(Readable.from([]), { headers: {}, ...fields }) as never
const asBody = (bytes: Buffer, headers: Record<string, string> = {}) =>
  readJsonBody(Object.assign(Readable.from([bytes]), { headers }) as never, LIMIT)
const at = (url: string) => ({ method: 'GET', path: url.split('?')[0], url, originalUrl: url }) as never
const HEADER = { 'x-forwarded-for': '' }
const [MONITOR, ACCOUNT, CONFIG] = [listRoutes(monitor), listRoutes(account), listRoutes(config)]
const CHECK = { name: 'x', url: 'https://x.example/', interval_sec: 60 }
const CONFIRMATION = { confirmed_at: null, confirm_by: null, asked_at: null }
const CHANNEL = { id: 1, name: 'x', kind: 'webhook', enabled: true, email: '', ...CONFIRMATION }
const VIEWER = { impersonator_id: null } as never

const NOW = new Date('2026-11-20T12:00:00Z')
const SITE = { expectedChallenge: 'x', expectedOrigin: 'https://x.example', expectedRPID: 'x.example' }
/** What a browser answers to a challenge; the text is what the device made, or stands for it. */
function passkeyAnswer(type: string, made: string): never {
  const told = Buffer.from(JSON.stringify({ type, challenge: 'x', origin: SITE.expectedOrigin })).toString('base64url')
  const response = { clientDataJSON: told, attestationObject: made, authenticatorData: made, signature: made }
  return { id: 'x', rawId: 'x', type: 'public-key', clientExtensionResults: {}, response } as never
}
/** In CBOR: an array in an array, a map in an array, a text without an end. */
const CBOR = ['\x81', '\x81\xa1\x01', '\x7f'].map(
  (unit) => (length: number) => Buffer.from(unit.repeat(length / unit.length), 'latin1').toString('base64url'),
)
const ISSUER = 'https://id.example'
/** A provider of OpenID Connect all of whose answers are that text. */
function provider(answer: string): Configuration {
  const server = { issuer: ISSUER, token_endpoint: `${ISSUER}/token`, userinfo_endpoint: `${ISSUER}/who` }
  const made = new Configuration(server, 'x', 'secret')
  made[customFetch] = () => Promise.resolve(new Response(answer, { headers: { 'content-type': 'application/json' } }))
  return made
}
const claimsIn = (query: string, answer: string) =>
  authorizationCodeGrant(provider(answer), new URL(`${ISSUER}/return?${query}`), {
    expectedState: 'x',
    expectedNonce: 'x',
    pkceCodeVerifier: 'x'.repeat(43),
    idTokenExpected: true,
  })
/** An incident all of whose texts are that one. */
const incidentOf = (text: string) => {
  const [at, guid] = ['2026-11-20T11:00:00Z', text]
  const incident = { kind: 'check', name: text, org_name: text, began_at: at, ended_at: at, end_reason: 'recovered' }
  const failure = { ran_at: at, monitor_name: text, http_status: 0, error: text, latency_ms: 1, response_sample: text }
  const note = { created_at: at, author: text, body: text, note_id: 1, author_id: 1 }
  const deed = { created_at: at, actor: text, impersonator: null, action: 'check.pause' }
  const witness = { name: text, monitor_id: guid, failed_at: at, failures: 1, last_at: at }
  const neighbours = [{ name: text, began_at: at }]
  return {
    incident: { ...incident, verdict: null, acknowledged_by: text, acknowledged_at: at },
    failure,
    ping: { exit_code: 1, body: text },
    witnesses: [witness, witness],
    told: [],
    waiting: [],
    deeds: [deed],
    degraded: [{ began_at: at, ended_at: null, reason: text }],
    notes: [note],
    postmortem: { body: text },
    groups: [{ monitor: { id: guid, name: text }, neighbours }],
  } as never
}
const formOf = (text: string) =>
  new Form(new URLSearchParams({ headers: text, name: text, url: text, interval_sec: text, tags: text }).toString())
const PLAN = { plan_name: 'team', plan: planOf({ plan: 'team', custom_limits: null }) } as const

const SETTINGS = { egress_allow: [], smtp_url: undefined, mail_from: undefined, ntfy_url: 'http://127.0.0.1' }
const TOLD = {
  webhook_id: 'msg_1_1',
  sent_at: new Date(0),
  type: 'check.down',
  timestamp: '2026-11-20T12:00:00.000000Z',
  data: { check: { name: 'x' } },
  message: { severity: 'down', title: 'x', lines: ['x'], facts: [], link: 'https://x.example/' },
} as const
const TEMPLATE = channelKinds().find(({ name }) => name === 'webhook-template')?.example
const HTTP_KINDS = channelKinds().flatMap(({ sending }) => (sending.by === 'http' ? [{ sending }] : []))

/** By what each is listed under below. */
const TRIALS: Record<string, Trial> = {
  // The platform's and the libraries', wherever they are used.
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

  // What comes into the server.
  'json body': (text) => asBody(Buffer.from(text)),
  'gzip body': (text) => asBody(gzipSync(text, { level: 1 }), { 'content-encoding': 'gzip' }),
  'body cut off': (text) => asBody(Buffer.from(text).subarray(0, -1)),
  authorization: (text) =>
    [text, `Bearer ${text}`, `Bearer ${text} x`].map((authorization) =>
      refused(() => readBearer(request({ headers: { authorization } }))),
    ),
  'forwarded for': (text) =>
    [() => true, () => false].map((trusts) =>
      clientAddress(
        { socket: { remoteAddress: '::1' }, headers: { ...HEADER, 'x-forwarded-for': text } } as never,
        trusts,
      ),
    ),
  'path and query': (text) =>
    [
      `/${text}`,
      `/checks/${text}/results`,
      `/checks/x/results?after=${text}`,
      `/checks/x/results?${text}`,
      `/checks?since=${text}`,
    ].map((url) => [
      surfaceOf(url),
      findPage(at(url)),
      refused(() => findRoute(ACCOUNT, at(url))),
      refused(() => findRoute(MONITOR, at(url))),
      refused(() => findRoute(CONFIG, at(url))),
    ]),
  cookies: (text) =>
    [text, `__Host-dogwatch-session=${text}`].map((cookie) =>
      readCookie(request({ headers: { cookie } }), 'session', true),
    ),
  'token of a form': (text) => isCsrfToken(text, 'session', 1),
  form: (text) => new Form(text).all('monitors'),
  'form of a check': (text) => refused(() => entryOf(draftFrom(formOf(text)))),
  'faults of a form': (text) => {
    const read = readDraft(draftFrom(formOf(text)))
    return [undefined, new DomainError('invalid', text), new DomainError('invalid', `check.url ${text}`)].map((error) =>
      faultsOfForm(error, read, PLAN),
    )
  },
  'list of checks': (text) => [
    queryOf(viewIn(text)),
    queryOf(viewOf({ q: text, tag: text, state: text, kind: text, monitor: text, sort: text, page: text })),
  ],
  'place in a list': (text) => [toIncidentPosition(text, text), toIncidentPosition('2026-11-20T10:00:00Z', text)],
  'times of a browser': (text) =>
    [text, `Europe/${text}`, `Europe/Paris ${text}`].map((cookie) => clockText(NOW, NOW, timesFor(undefined, cookie))),
  // One that is longer than 120 characters is refused unread.
  cron: (text) => {
    const field = text.slice(0, 110)
    return [
      ...[text, `${field} 0 1 1 *`, `0 0 ${field} 1 *`, `0 0 1 1 ${field}`].map((cron) => readCron(cron, 'UTC', NOW)),
      readCron('0 0 1 1 *', text, NOW),
    ]
  },
  'address range of a token': (text) =>
    [text, `1.${text}`, `::${text}/64`].map((range) => refused(() => readRange(range))),
  'state in if-match': (text) => [text, `"${text}"`].map((header) => refused(() => readIfMatch(header))),
  'rule of a window in words': (text) => [ruleWords(text), ruleWords(`FREQ=WEEKLY;BYDAY=${text}`)],
  'incident as a document': (text) => incidentMarkdown(incidentOf(text), { url: 'https://x.example/', now: NOW }),
  'new passkey': (text) =>
    Promise.allSettled(
      [text, Buffer.from(text).toString('base64url'), ...CBOR.map((make) => make(text.length))].map((made) => {
        transportsIn(made.split(','))
        return verifyRegistrationResponse({ response: passkeyAnswer('webauthn.create', made), ...SITE })
      }),
    ),
  'passkey to sign in': (text) =>
    Promise.allSettled(
      [text, Buffer.from(text).toString('base64url'), ...CBOR.map((make) => make(text.length))].map((made) =>
        verifyAuthenticationResponse({
          response: passkeyAnswer('webauthn.get', made),
          ...SITE,
          credential: { id: 'x', publicKey: Uint8Array.from(Buffer.from(made, 'base64url')), counter: 0 },
        }),
      ),
    ),
  // Longer ones are refused before anybody reads them: console/openid.test.ts.
  'way back from the provider': (text) =>
    Promise.allSettled(
      [text, `state=x&code=${text}`, `state=x&error=${text}`].map((query) =>
        claimsIn(query.slice(0, MOST_QUERY_CHARS), '{}'),
      ),
    ),
  'answer of the provider': (text) => {
    const part = Buffer.from(text).toString('base64url')
    const token = { access_token: text, token_type: 'bearer', id_token: `${part}.${part}.${part}` }
    const answers = [text, JSON.stringify(token), JSON.stringify({ ...token, id_token: text })]
    return Promise.allSettled([
      ...answers.map((answer) => claimsIn('state=x&code=x', answer)),
      fetchUserInfo(provider(text), 'x', 'x'),
    ])
  },
  // Nobody's address is longer.
  'code to scan': (text) => encode(`otpauth://totp/Dogwatch:${encodeURIComponent(text.slice(0, 254).toWellFormed())}`),
  'secrets of a definition': (text) =>
    redact(
      text.slice(0, 2048),
      secretsOfCheck([{ url: `https://${text.slice(0, 2000)}@x.example/`, headers: { x: text }, post_data: text }]),
      100,
    ),
  'target with secrets': (text) => [
    hideInUrl(text),
    hideInUrl(`https://x.example/?${text}`),
    hideInUrl(`?token=${text}`),
  ],
  'where to return to': (text) => [text, `/${text}`, `/checks?${text}`].map((path) => returnPath(path, ROUTES)),
  'mail address': (text) => [mailboxOf(text), mailboxOf(`a@${text}`)],
  'client address': (text) => [addressBlock(text), addressNetwork(text), addressBlock(`::ffff:${text}`)],
  'date-time': (text) =>
    [text, `2026-11-20T10:00:00.${text}Z`, `2026-11-20T10:00:00+${text}`].map(
      (time) => isDateTime(time) && toMicroseconds(time),
    ),
  'signed token': (text) =>
    [text, `dogwatch_act_${text}`].map((token) => readSignedToken('act', Buffer.alloc(32), token)),
  token: (text) => [looksLikeToken('pat', text), looksLikeToken('pat', `dogwatch_pat_${text}`)],
  duration: (text) => readDuration('x', text),
  'body of a ping': (text) => tailText(Buffer.from(text)),
  name: (text) => [toStorable(text), refused(() => requireName('x', text))],
  'import file': (text) => {
    const entry = { ...CHECK, url: `https://${text}`, match_string: text, headers: { [text]: text }, guid: text }
    return Promise.allSettled([
      readJson(Buffer.from(text), { levels: 1000, values: 1000, names: 1000 }).then(readEntries),
      readEntries([entry]),
      readEntries([{ ...CHECK, name: text }]),
    ])
  },
  'url of a check': (text) =>
    [
      '',
      'https://',
      'tcp://',
      'tls://x.example:',
      'https://x.example/',
      'dns://',
      'dns:///',
      'dns:///x.example?',
      'udp://x.example:1?send=',
      'icmp://',
      'ldap://x:',
      'smtp://x.example?',
      'tcp://x.example:1?expect=',
      'composite:tag:',
      'composite:key:x,',
      'domain:',
      'domain:x.example?',
    ].map((scheme) => readTarget(scheme + text)),
  'rules of a check': (text) => [
    ...[readJsonPath(text), readJsonPath(`$.${text}`), readJsonPath(`$['${text}`), readJsonPath(`$[${text}`)],
    ...[readStatusLine(text), faultOfStatuses(readStatusLine(text)), faultOfMethod(text)],
    ...[readProxy(text), readProxy(`http://${text}`), readProxy(`socks5://${text}@x.example:1`)],
    wordsOf(JSON.stringify({ on: 'header', at: text, is: 'eq', value: text })),
  ],
  'name of a registration': (text) => [registeredName(text), registeredName(`${text}.example.co.uk`)],
  'answer of a registry': (text) => {
    const answer = (body: string, location?: string) =>
      askRdap(
        () =>
          Promise.resolve({
            kind: 'answered',
            status: location === undefined ? 200 : 302,
            body,
            headers: { location },
          } as never),
        'https://registry.example/',
        'x.example',
      )
    const events = [{ eventAction: 'expiration', eventDate: text }]
    const entities = [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', text]]] }]
    const whole = { ldhName: 'x.example', events, entities, status: [text], nameservers: [{ ldhName: text }] }
    return Promise.all([answer(text), answer(JSON.stringify(whole)), answer('', `/${text}`)])
  },
  host: (text) => [
    ...[isInternalHost(text), isInternalHost(`${text}.local`), isInternalHost(`[${text}]`)],
    ...[isPublicAddress(text), isPublicAddress(`::ffff:${text}`)],
  ],
  pattern: (text) => [faultOfSize(text), faultOfPattern(text)],
  // A longer one than 2048 characters is refused.
  'url of a channel': (text) => {
    const url = `https://${text.slice(0, 1000)}@x.example/${text.slice(0, 1000)}`
    const reason = `${text} ${url}`
    return [
      destinationOf({ ...CHANNEL, destination: { webhook_url: url } }, VIEWER),
      withoutSecrets({ ...PUT_BACK, reason }, secretsOf(url)),
      new Reach().failed(text, 0),
    ]
  },
  'secret of a channel': (text) => [
    sign(text, 'id', 1, '{}'),
    sign(`whsec_${text}`, 'id', 1, '{}'),
    secretFault(`whsec_${text}`),
  ],
  'answer to a message': (text) =>
    [text, `Mon, ${text}`].map((retry_after) =>
      answerOutcome({ kind: 'answered', status: 503, retry_after, body: text }, new Date(0), {
        explain: () => text,
      }),
    ),
  // Of an answer, 4096 bytes are read.
  'answer of a vendor': (text) =>
    HTTP_KINDS.map(({ sending }) =>
      [200, 429].map((status) =>
        answerOutcome(
          { kind: 'answered', status, retry_after: undefined, body: text.slice(0, 4096) },
          new Date(0),
          sending,
        ),
      ),
    ),
  'message of a channel': (whole) => {
    // Each kind says it four times over.
    const text = whole.slice(0, whole.length / 4)
    const long = {
      ...TOLD,
      message: { ...TOLD.message, title: text, lines: [text], facts: [{ label: text, value: text }] },
    }
    // Templates are rendered in another thread; the trial of templates does it here.
    const kinds = channelKinds().filter(({ name }) => name !== 'webhook-template')
    return kinds.map(({ sending, example: destination }) => {
      if (sending.by === 'http') return sending.request({ ...long, destination }, SETTINGS)
      return sending.render?.({ ...long, destination })
    })
  },
  'destination of a channel': (text) => [
    channelKinds().flatMap(({ fields }) =>
      Object.values(fields).map((field) => refused(() => [field.fault?.(text), field.matches?.pattern.test(text)])),
    ),
    secretsIn({ kind: 'webhook-template', destination: { ...TEMPLATE, template_headers: text, template_body: text } }),
  ],
  'template of a channel': (text) => [headersFault(text), render(text.slice(0, 10_000), TOLD, { isStrict: true })],
  'error of a message': (text) => [
    faultWords(new Error(text)),
    faultWords(new Error(`connect E${text}`)),
    oneLine(text, 500),
  ],

  // What comes to an agent.
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

  // What comes to the SDKs.
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

/** A refusal does not keep the other forms of a text from being tried. */
function refused(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

/**
 * Every file that takes a text apart: how often by what, and the trials in which it meets the worst. Or, after `ours:`, why no
 * stranger writes what it reads.
 */
const PARSERS: Record<string, readonly [calls: string, trials: string]> = {
  'account-sdk/src/export-reader.ts': ['new JSONParser', 'export'],
  'account-sdk/src/export.ts': ['.split, JSON.parse', 'split, JSON.parse'],
  'account-sdk/src/webhooks.ts': ['.split, JSON.parse', 'webhook'],
  'agent/src/buffer/aside.ts': ['JSON.parse', "ours: the agent's own state directory"],
  'agent/src/sync/check-set.ts': ['.parse, JSON.parse', 'JSON.parse, answer to a sync'],
  'agent/src/process/config.ts': [
    '.safeParse, .split, URL.canParse, new URL',
    'ours: settings of whoever runs the agent',
  ],
  'agent/src/outages/connectivity.ts': ['URL.canParse, ipaddr, new URL', 'name that was looked up'],
  'agent/src/process/fatal.ts': ['.split', 'ours: a stack of our own'],
  'agent/src/identity/identity.ts': ['.parse, JSON.parse', "ours: the agent's own state directory"],
  'agent/src/definitions/check-fields.ts': ['JSON.parse', 'ours: a file of whoever runs the agent'],
  'agent/src/matching/json-values.ts': ['JSON.parse', 'JSON.parse'],
  'agent/src/definitions/json-names.ts': ['.matchAll, JSON.parse', 'names in a definition'],
  'agent/src/process/supported-node.ts': ['.split', 'ours: the version of Node'],
  'agent/src/process/ping-socket.ts': ['.split', 'ours: a file of the kernel'],
  'agent/src/process/lookup-threads.ts': ['.parseInt', 'ours: settings of whoever runs the agent'],
  'agent/src/matching/pattern-lane.ts': ['new URL', 'ours: a file beside it'],
  'agent/src/matching/pattern.ts': ['.split', 'pattern of a check'],
  'agent/src/definitions/private-definitions.ts': ['JSON.parse', 'private definitions'],
  'agent/src/probes/body-memory.ts': ['ipaddr', 'ipaddr'],
  'agent/src/probes/certificate-facts.ts': ['.matchAll, .split', 'certificate'],
  'agent/src/probes/proxy.ts': ['.parseInt x2, .split x3, new URL', 'ours: an address that the platform has validated'],
  'agent/src/probes/dns/authoritative.ts': ['.split', 'response of a name server'],
  'agent/src/probes/dialogue/codes.ts': ['.split', 'words of a dialogue'],
  'agent/src/probes/dns/message.ts': ['.split, Buffer.from', 'response of a name server'],
  'agent/src/probes/grpc/probe.ts': ['decodeURIComponent', 'decodeURIComponent'],
  'agent/src/probes/http/cookies.ts': ['.split x3', 'cookie of an answer'],
  'agent/src/probes/http/decoder.ts': ['.split', 'encoding of a body'],
  'agent/src/probes/http/head.ts': ['.split x2, Buffer.from', 'head of an answer'],
  'agent/src/probes/http/redirect.ts': ['Buffer.from, URL.canParse, new URL x2', 'redirect'],
  'agent/src/probes/postgres/messages.ts': ['.split, Buffer.from', 'response of an application'],
  'agent/src/probes/postgres/sign-in.ts': ['.split x2, Buffer.from x2', 'split, encoded bytes'],
  'agent/src/probes/web-identity.ts': ['.parseInt, Buffer.from, URL.canParse, new URL', 'request of a check'],
  'agent/src/probes/ws/frames.ts': ['BigInt', 'ours: a length of our own'],
  'agent/src/probes/ws/probe.ts': ['.split', 'split'],
  'agent/src/buffer/rejected.ts': ['JSON.parse', "ours: the agent's own state directory"],
  'agent/src/outages/resolver.ts': ['.split', 'split'],
  'agent/src/run/run-once.ts': ['new URL', 'new URL'],
  'agent/src/schedule/scheduled-runs.ts': ['new URL', 'new URL'],
  'check-rules/src/address.ts': ['URL.canParse x2, new URL x2', 'url of a check'],
  'check-rules/src/apps.ts': ['.split', 'url of a check'],
  'check-rules/src/composite.ts': ['.split, decodeURIComponent', 'url of a check'],
  'check-rules/src/domain.ts': ['.split, URL.canParse, new URL', 'url of a check'],
  'check-rules/src/json-path.ts': ['.parseInt', 'rules of a check'],
  'check-rules/src/request.ts': ['URL.canParse, decodeURIComponent, new URL', 'rules of a check'],
  'check-rules/src/statuses.ts': ['.split', 'rules of a check'],
  'check-rules/src/dns.ts': ['.split, URL.canParse, new URL', 'url of a check'],
  'check-rules/src/options.ts': ['.matchAll, .parseInt, .split x3, decodeURIComponent', 'url of a check'],
  'check-rules/src/secrets.ts': ['.matchAll x2, .parseInt, decodeURIComponent', 'target with secrets'],
  'check-rules/src/tags.ts': ['.split', 'split'],
  'check-rules/src/log-text.ts': ['.split, JSON.parse', 'ours: the log'],
  'check-rules/src/pattern.ts': ['.parseInt x2', 'pattern'],
  'check-rules/src/target.ts': ['ipaddr', 'host'],
  'monitor-sdk/src/core/options.ts': ['URL.canParse, new URL', 'ours: the server that the caller names'],
  'monitor-sdk/src/outbox.ts': ['.parseInt, .split, JSON.parse', 'ours: files that an agent wrote itself'],
  'monitor-sdk/src/core/transport.ts': ['.split, JSON.parse', 'split, JSON.parse'],
  'channels/src/rdap.ts': ['JSON.parse x2, URL.canParse x2, new URL x2', 'answer of a registry'],
  'channels/src/webhook/signature.ts': ['Buffer.from x3', 'secret of a channel'],
  'channels/src/destination.ts': ['.split, URL.canParse, new URL', 'url of a channel, destination of a channel'],
  'channels/src/egress.ts': ['URL.canParse, ipaddr x4, new URL', 'new URL, ipaddr'],
  'server/src/alerting/reach.ts': ['.split x3', 'url of a channel'],
  'channels/src/answer-body.ts': ['JSON.parse', 'JSON.parse, answer of a vendor'],
  'channels/src/discord/kind.ts': ['new URL', 'new URL'],
  'channels/src/discord/message.ts': ['.split', 'message of a channel'],
  'channels/src/google-chat/kind.ts': ['new URL', 'new URL'],
  'channels/src/incident-of.ts': ['URL.canParse, new URL', 'ours: the address of the console'],
  'channels/src/markdown.ts': ['.split', 'message of a channel'],
  'channels/src/mattermost/message.ts': ['.split', 'message of a channel'],
  'channels/src/own-server.ts': ['.split, new URL', 'new URL, message of a channel'],
  'channels/src/stand-in.ts': ['URL.canParse, new URL', 'new URL'],
  'channels/src/syslog/kind.ts': ['new URL', 'new URL, destination of a channel'],
  'channels/src/syslog/socket.ts': ['Buffer.from, URL.canParse, new URL', 'new URL'],
  'channels/src/teams/message.ts': ['.split', 'message of a channel'],
  'channels/src/twilio.ts': ['new URLSearchParams', 'ours: a form that it writes'],
  'channels/src/webhook-template/headers.ts': ['.split', 'template of a channel'],
  'channels/src/webhook-template/render.ts': ['.parse', 'template of a channel'],
  'channels/src/webhook-template/apart.ts': ['new URL', 'ours: a file beside it'],
  'channels/src/webhook-template/kind.ts': ['URL.canParse, new URL', 'new URL, template of a channel'],
  'channels/src/webhook-template/try.ts': ['JSON.parse', 'JSON.parse'],
  'channels/src/zulip/message.ts': ['new URLSearchParams', 'ours: a form that it writes'],
  'channels/src/resolve.ts': ['.split x2', 'ours: the hosts file of this machine'],
  'channels/src/secrets.ts': ['.split, URL.canParse, decodeURIComponent, new URL', 'url of a channel'],
  'server/src/alerting/summary-words.ts': ['.split', 'ours: a time of our own'],
  'server/src/bin/agent-archives.ts': ['new URL x4', 'ours: files beside it'],
  'server/src/bin/supported-node.ts': ['.split', 'ours: the version of Node'],
  'server/src/bin/arguments.ts': ['.split, JSON.parse', 'JSON.parse, import file'],
  'server/src/bin/commands/channel.ts': ['.split', 'ours: the name of a field'],
  'server/src/bin/dogwatch.ts': ['.split', 'ours: what an operator types'],
  'server/src/bin/local-monitor.ts': ['JSON.parse, new URL', 'ours: what the agent that it starts logs'],
  'server/src/bin/serving.ts': ['JSON.parse, new URL x2', "ours: the package's own manifest, and its own address"],
  'server/src/bin/setup.ts': ['new URL', 'ours: a file beside it'],
  'server/src/config.ts': ['.safeParse, .split x6, URL.canParse x3, new URL x2', 'ours: settings of the operator'],
  'server/src/console/assets.ts': ['.split, new URL', 'ours: files beside it'],
  'server/src/console/cookies.ts': ['.split, decodeURIComponent', 'cookies'],
  'server/src/console/csrf.ts': ['Buffer.from', 'token of a form'],
  'server/src/console/design/tokens.ts': ['.matchAll, .parseInt, new URL', 'ours: the stylesheet'],
  'server/src/console/find-route.ts': ['.split x3, decodeURIComponent', 'path and query'],
  'server/src/console/form.ts': ['new URLSearchParams', 'form'],
  'server/src/console/pages/admin-search.tsx': ['new URLSearchParams x2', 'new URLSearchParams'],
  'server/src/console/pages/channels/delivery-log.tsx': ['new URLSearchParams', 'new URLSearchParams, place in a list'],
  'server/src/console/pages/checks/assertion-drafts.ts': ['.split x2, JSON.parse x3', 'rules of a check, JSON.parse'],
  'server/src/console/pages/checks/draft.ts': ['.split x2, JSON.parse', 'form of a check'],
  'server/src/console/pages/checks/list-view.ts': ['.split, new URLSearchParams', 'list of checks'],
  'server/src/console/pages/checks/results.tsx': ['new URLSearchParams', 'new URLSearchParams'],
  'server/src/console/pages/incidents/list.tsx': ['new URLSearchParams', 'new URLSearchParams, place in a list'],
  'server/src/console/pages/maintenance/rule-words.ts': ['.split x3', 'rule of a window in words'],
  'server/src/console/pages/search/destinations.ts': ['.split', 'split'],
  'server/src/console/pages/sign-in.tsx': ['new URLSearchParams', 'new URLSearchParams, way back from the provider'],
  'server/src/console/pages/status-page-entries.tsx': ['new URLSearchParams', 'new URLSearchParams'],
  'server/src/console/return-path.ts': ['URL.canParse, new URL', 'where to return to'],
  'server/src/console/router.ts': ['.split x2, new URLSearchParams', 'split, new URLSearchParams'],
  'server/src/console/status/router.ts': ['decodeURIComponent', 'decodeURIComponent'],
  'server/src/console/times.ts': ['.split', 'times of a browser'],
  'server/src/domain/checks/recent-runs.ts': ['.split x2', 'ours: counts from the database'],
  'server/src/domain/checks/event-data.ts': ['.split', 'split'],
  'server/src/domain/checks/redact.ts': [
    '.split x2, Buffer.from, JSON.parse, URL.canParse, decodeURIComponent, new URL, new URLSearchParams',
    'secrets of a definition',
  ],
  'server/src/domain/checks/secret-places.ts': ['.matchAll, .parseInt, Buffer.from', 'secrets of a definition'],
  'server/src/domain/checks/replace-many.ts': ['.split', 'ours: kinds of degradations as we joined them'],
  'server/src/domain/configuration/scopes.ts': ['.split', 'ours: the scopes in our own document'],
  'server/src/domain/configuration/tokens.ts': ['.split, ipaddr x3', 'address range of a token, client address'],
  'server/src/domain/heartbeats/cron.ts': ['.split', 'cron'],
  'server/src/domain/incidents/link-token.ts': ['Buffer.from', 'ours: what a link that we signed is made of'],
  'server/src/domain/incidents/markdown.ts': ['.matchAll, .split', 'incident as a document'],
  'server/src/domain/incidents/timeline.ts': ['.split x3', 'ours: the names of events and of deeds'],
  'server/src/domain/limits/address.ts': ['.split, ipaddr', 'client address'],
  'server/src/domain/monitors/enrollment-tokens.ts': ['Buffer.from', 'encoded bytes'],
  'server/src/domain/monitors/holds.ts': ['.split', 'ours: the subjects of events'],
  'server/src/domain/monitors/read.ts': ['Buffer.from', 'ours: the hash of a token'],
  'server/src/domain/people/mailbox.ts': ['.split, decodeURIComponent', 'mail address'],
  'server/src/domain/people/passkeys.ts': ['JSON.parse, new URL', 'JSON.parse, new passkey, passkey to sign in'],
  'server/src/domain/people/provider.ts': ['.split', 'split, answer of the provider'],
  'server/src/domain/people/sessions.ts': ['Buffer.from', 'encoded bytes'],
  'server/src/domain/channels/edit.ts': ['URL.canParse, new URL', 'url of a channel'],
  'server/src/domain/results/arrivals.ts': ['Buffer.from, JSON.parse', 'encoded bytes, JSON.parse'],
  'server/src/console/pages/problem.tsx': ['.split', 'ours: the line of a refusal'],
  'server/src/console/pages/routing/who.tsx': ['.split', 'split'],
  'server/src/console/status/document.tsx': ['.split', 'ours: a page that escapes what people wrote'],
  'server/src/domain/dependencies/holds.ts': ['.split', 'ours: the subjects of events'],
  'server/src/domain/maintenance/holds.ts': ['.split', 'ours: the subjects of events'],
  'server/src/domain/maintenance/rule.ts': ['.split x4', 'recurrence rule'],
  'server/src/domain/routing/words.ts': ['.split', 'split'],
  'server/src/domain/routing/release.ts': ['.split x2', 'ours: the subjects of events'],
  'server/src/domain/routing/routing.ts': ['.split', 'ours: a subject of our own'],
  'server/src/domain/status-page/edit.ts': ['.split', 'split'],
  'server/src/http/client.ts': ['.split', 'forwarded for'],
  'server/src/http/config-api/delivery-wire.ts': ['.split', 'ours: the type of an event that we raised'],
  'server/src/http/config-api/repeat.ts': ['JSON.parse', 'ours: an answer that we stored'],
  'server/src/http/health.ts': ['.split', 'split'],
  'server/src/http/install/archives.ts': ['JSON.parse', 'ours: the list of the archives that we made'],
  'server/src/http/lost.ts': ['.split', 'split'],
  'server/src/http/implement.ts': ['JSON.parse', 'ours: an answer that was just checked'],
  'server/src/http/problem.ts': ['.split x3', 'split'],
  'server/src/http/request-id.ts': ['.split', 'split'],
  'server/src/http/routes.ts': ['.matchAll, .split x2, decodeURIComponent', 'path and query'],
  'server/src/http/validate.ts': ['.split x2', 'split'],
  'runtime/src/json-text.ts': ['JSON.parse', 'json body, gzip body, body cut off, import file'],
  'runtime/src/mail-login.ts': ['new URL x3', 'ours: settings of the operator'],
  'runtime/src/openid.ts': ['new URL x3', 'new URL, way back from the provider, answer of the provider'],
  'runtime/src/sealed.ts': ['Buffer.from', 'ours: what this server sealed and kept'],
  'runtime/src/signed-tokens.ts': ['BigInt x2, Buffer.from', 'signed token'],
  'runtime/src/timestamps.ts': ['.split', 'ours: a date-time that was accepted before'],
  'runtime/src/tokens.ts': ['BigInt x2', 'ours: random bytes and a checksum'],
  'server/src/store/copy-in.ts': [
    'BigInt x2, Buffer.from x2',
    'ours: instants with six digits, and what begins a COPY',
  ],
  'server/src/store/postgres/connections.ts': ['.split', "ours: the database's settings"],
  'embedded-postgres/src/account.ts': ['.split x2', 'ours: the password file of this machine'],
  'embedded-postgres/src/binaries.ts': ['.split, JSON.parse x2', 'ours: manifests that npm installed'],
  'embedded-postgres/src/cluster.ts': ['.split', 'ours: a file of the data directory'],
  'embedded-postgres/src/lock.ts': ['JSON.parse', 'ours: a file of the data directory'],
  'embedded-postgres/src/process.ts': ['.split', 'ours: what the system says of a process'],
  'embedded-postgres/src/server.ts': ['.parseInt x2, .split', 'ours: a file of the data directory'],
  'embedded-postgres/src/state.ts': ['JSON.parse', 'ours: a file of the data directory'],
  'embedded-postgres/src/guard-process.ts': ['JSON.parse', 'ours: what our own process says'],
  'embedded-postgres/src/guard.ts': ['new URL', 'ours: a file beside it'],
  'server/src/store/database.ts': ['new URL', "ours: the operator's own address of the database"],
  'server/src/store/migrate.ts': ['new URL', 'ours: files beside it'],
  'server/src/store/results/nodes/at-node.ts': ['.split', 'ours: an instant as the database tells it'],
  'server/src/store/results/check-history.ts': ['.split x4, Buffer.from', 'ours: what the database counted'],
  'server/src/store/results/sharding/cluster.ts': ['new URL', "ours: the operator's own address of the database"],
  'server/src/store/results/sharding/requirements.ts': [
    '.split x3, JSON.parse x2',
    'ours: what the nodes of the database answer',
  ],
  'server/src/store/postgres/set-query.ts': ['.parse', 'ours: a statement of our own'],
  'server/src/store/results/stored/opened.ts': ['.split', 'split'],
  'server/src/store/results/stored/sealed-form.ts': ['.split', 'ours: a statement of our own'],
}

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))
const READERS = ['server', ...ROOMS, 'agent', 'check-rules', 'monitor-sdk', 'account-sdk']
const METHODS = ['parse', 'safeParse', 'split', 'canParse', 'parseInt', 'parseFloat', 'parseCIDR', 'matchAll']
const FUNCTIONS = ['decodeURIComponent', 'decodeURI', 'parseInt', 'parseFloat', 'BigInt']
const CLASSES = ['URL', 'URLSearchParams', 'JSONParser']

/** What a call or a `new` takes apart, if it does. Dates are read by the platform alone, which is tried as `Date.parse`. */
function parserIn(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression)) {
    const { text } = node.expression
    return CLASSES.includes(text) ? `new ${text}` : undefined
  }
  if (!ts.isCallExpression(node)) return undefined
  const { expression: called } = node
  if (ts.isIdentifier(called)) return FUNCTIONS.includes(called.text) ? called.text : undefined
  if (!ts.isPropertyAccessExpression(called)) return undefined
  const owner = ts.isIdentifier(called.expression) ? called.expression.text : ''
  const name = called.name.text
  if (owner === 'Date') return undefined
  if (owner === 'Buffer' && name === 'from') return node.arguments.length > 1 ? 'Buffer.from' : undefined
  if (owner === 'ipaddr' && ['parse', 'process', 'parseCIDR'].includes(name)) return 'ipaddr'
  if (!METHODS.includes(name)) return undefined
  return ['JSON', 'URL'].includes(owner) ? `${owner}.${name}` : `.${name}`
}

function callsIn(file: string): string {
  const counts = new Map<string, number>()
  const visit = (node: ts.Node): void => {
    const found = parserIn(node)
    if (found !== undefined) counts.set(found, (counts.get(found) ?? 0) + 1)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))
  const told = [...counts].toSorted().map(([name, count]) => (count === 1 ? name : `${name} x${count}`))
  return told.join(', ')
}

const found = READERS.flatMap((name) =>
  readdirSync(join(PACKAGES, name, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.(test|gen)\.tsx?$|(^|\/)generated\.ts$/.test(path))
    .map((path) => join(PACKAGES, name, 'src', path)),
)
  .map((file) => [relative(PACKAGES, file), callsIn(file)] as const)
  .filter(([, calls]) => calls !== '')

/** A new one may be a new parser: then it is tried, here or in `doors.test.ts`. */
const LIBRARIES = [
  '@simplewebauthn/server',
  '@streamparser/json',
  'argon2',
  'classic-level',
  'commander',
  'compression',
  'express',
  'express-openapi-validator',
  'ipaddr.js',
  'kysely',
  'liquidjs',
  'nodemailer',
  'openapi-fetch',
  'openid-client',
  'otpauth',
  'pg',
  'pino',
  'preact',
  'preact-render-to-string',
  'prom-client',
  'raw-body',
  're2js',
  'temporal-polyfill',
  'tldts',
  'uplot',
  'uqr',
  'zod',
]

describe('the list', () => {
  test('has every place that takes a text apart, and no other', () => {
    const listed = Object.entries(PARSERS).map(([file, [calls]]) => [file, calls])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed))
  })

  test('names a trial for each, or says whose text it is', () => {
    for (const [file, [, trials]] of Object.entries(PARSERS)) {
      if (/^ours: ./.test(trials)) continue
      const unknown = trials.split(', ').filter((name) => !Object.hasOwn(TRIALS, name))
      expect({ file, unknown }).toEqual({ file, unknown: [] })
    }
  })

  test('no library but these reads texts for us', () => {
    const manifests = READERS.map(
      (name) => JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')) as { dependencies?: object },
    )
    const names = manifests.flatMap(({ dependencies = {} }) => Object.keys(dependencies))
    expect([...new Set(names)].filter((name) => !name.startsWith('@dogwatch/')).toSorted()).toEqual(LIBRARIES)
  })
})

describe('growth', () => {
  test('the square of a text is noticed, and much work in proportion is not', async () => {
    const text = (length: number) => 'a'.repeat(length)
    const square: Trial = (long) => {
      let sum = 0
      for (let i = 0; i < long.length; i++) for (let j = 0; j < i; j += 16) sum += long.charCodeAt(j)
      return sum
    }
    const much: Trial = (long) => Array.from(long, () => Array.from({ length: 30 }, (_, i) => i).reverse()).length
    expect(await faultOfGrowth(square, text, 3)).toMatch(/ ms of work for /)
    expect(await faultOfGrowth(much, text)).toBeUndefined()
  })

  test.each(Object.entries(TRIALS))('%s', async (_, trial) => {
    const faults: string[] = []
    for (const [name, make] of Object.entries(WORST)) {
      const fault = await faultOfGrowth(trial, make)
      if (fault !== undefined) faults.push(`${name}: ${fault}`)
    }
    expect(faults).toEqual([])
  })
})
