// Trials of the parsers that read what comes into the server, except what channels send and receive.
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { clientAddress } from '@dogwatch/api/client'
import { askRdap } from '@dogwatch/channels/rdap'
import { readJsonPath } from '@dogwatch/check-rules/json-path'
import { faultOfPattern, faultOfSize } from '@dogwatch/check-rules/pattern'
import { faultOfMethod, readProxy } from '@dogwatch/check-rules/request'
import { hideInUrl } from '@dogwatch/check-rules/secrets'
import { faultOfStatuses, readStatusLine } from '@dogwatch/check-rules/statuses'
import { isInternalHost, isPublicAddress, readTarget } from '@dogwatch/check-rules/target'
import { giveOptions, takeOptions } from '@dogwatch/check-rules/target-options'
import { findPage } from '@dogwatch/console/find-route'
import { document as account } from '@dogwatch/contract/account'
import { document as config } from '@dogwatch/contract/config'
import { document as monitor } from '@dogwatch/contract/monitor'
import { readEntries } from '@dogwatch/domain/checks/file'
import { readRange } from '@dogwatch/domain/configuration/tokens'
import { DomainError } from '@dogwatch/domain/errors'
import { readCron } from '@dogwatch/domain/heartbeats/schedule'
import { toIncidentPosition } from '@dogwatch/domain/incidents/list'
import { incidentMarkdown } from '@dogwatch/domain/incidents/markdown'
import { registeredName } from '@dogwatch/domain/judged/domains'
import { addressBlock, clientAt } from '@dogwatch/domain/limits/address'
import { planOf } from '@dogwatch/domain/organisations/plans'
import { mailboxOf } from '@dogwatch/domain/people/mailbox'
import { transportsIn } from '@dogwatch/domain/people/passkeys'
import { requireName, toStorable } from '@dogwatch/domain/text'
import { readJson } from '@dogwatch/runtime/json-text'
import { MOST_QUERY_CHARS } from '@dogwatch/runtime/openid'
import { readSignedToken } from '@dogwatch/runtime/signed-tokens'
import { isDateTime, toMicroseconds } from '@dogwatch/runtime/timestamps'
import { looksLikeToken } from '@dogwatch/runtime/tokens'
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { authorizationCodeGrant, Configuration, customFetch, fetchUserInfo } from 'openid-client'
import { encode } from 'uqr'
import { readBearer } from '../../../../api/src/bearer.ts'
import { readJsonBody } from '../../../../api/src/body.ts'
import { readIfMatch } from '../../../../api/src/config-api/wire.ts'
import { tailText } from '../../../../api/src/pings/body.ts'
import { findRoute, listRoutes } from '../../../../api/src/routes.ts'
import { surfaceOf } from '../../../../api/src/surface.ts'
import { readCookie } from '../../../../console/src/cookies.ts'
import { isCsrfToken } from '../../../../console/src/csrf.ts'
import { Form } from '../../../../console/src/form.ts'
import { wordsOf } from '../../../../console/src/pages/checks/assertion-drafts.ts'
import { draftFrom, entryOf, readDraft } from '../../../../console/src/pages/checks/draft.ts'
import { faultsOfForm } from '../../../../console/src/pages/checks/form-faults.ts'
import { queryOf, viewIn, viewOf } from '../../../../console/src/pages/checks/list-view.ts'
import { ruleWords } from '../../../../console/src/pages/maintenance/rule-words.ts'
import { readDuration } from '../../../../console/src/parts/duration.ts'
import { returnPath } from '../../../../console/src/return-path.ts'
import { ROUTES } from '../../../../console/src/routes.ts'
import { clockText, timesFor } from '../../../../console/src/times.ts'
import { redact, secretsOf as secretsOfCheck } from '../../../../domain/src/checks/redact.ts'
import { refused, type Trial } from './trial.ts'

const LIMIT = { bytes: 1024 * 1024, status: 400 } as const
const request = (fields: object) => Object.assign(Readable.from([]), { headers: {}, ...fields }) as never
const asBody = (bytes: Buffer, headers: Record<string, string> = {}) =>
  readJsonBody(Object.assign(Readable.from([bytes]), { headers }) as never, LIMIT)
const at = (url: string) => ({ method: 'GET', path: url.split('?')[0], url, originalUrl: url }) as never
const HEADER = { 'x-forwarded-for': '' }
const [MONITOR, ACCOUNT, CONFIG] = [listRoutes(monitor), listRoutes(account), listRoutes(config)]
const CHECK = { name: 'x', url: 'https://x.example/', interval_sec: 60 }
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

/** Trials by the names under which the list of parsers has them. */
export const OF_REQUESTS: Readonly<Record<string, Trial>> = {
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
  'client address': (text) => [addressBlock(text), clientAt(text).network, addressBlock(`::ffff:${text}`)],
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
    ].map((scheme) => [
      readTarget(scheme + text),
      giveOptions(scheme + text, new Map([['topic', text]])),
      takeOptions(scheme + text),
    ]),
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
}
