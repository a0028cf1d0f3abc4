// Lists what targets of each kind can do wrong, and the test of the agent that shows the outcome.
import { readFileSync } from 'node:fs'

/** What a hostile target does. */
const FAKES = ['silent', 'slow', 'endless', 'garbage', 'half', 'wrong TLS'] as const
type Fake = (typeof FAKES)[number]

const AGENT = new URL('../../../packages/agent/', import.meta.url)
const DIALOGUES = 'smtp smtps imap imaps pop3 pop3s ftp ftps ssh redis rediss ldap ldaps'
const APPS = 'tls ws wss grpc grpcs mqtt mqtts postgres mysql'
const WEB = 'http https'
const test = (name: string): string => `test/probes/${name}.test.ts`
const probe = (name: string): string => `src/probes/${name}/probe.test.ts`
const ONE_OF_THREE = 'protocol, reset or tls'

const ROWS: readonly (readonly [kinds: string, fake: Fake, expected: string, file: string, title: string])[] = [
  [WEB, 'silent', 'timeout', test('bounds'), "['http that never answers'"],
  [WEB, 'slow', 'timeout', test('bounds'), "['a body that drips'"],
  [WEB, 'endless', 'judged by the first 1 MiB', test('bounds'), 'of an endless body the first mebibyte is judged'],
  [WEB, 'garbage', 'http', test('http-answers'), "['an answer that is not HTTP'"],
  [WEB, 'half', 'reset', test('http-answers'), "['a body shorter than its Content-Length'"],
  [`${WEB} tls`, 'wrong TLS', 'tls', test('tls'), "test('fails an https and a tls check'"],
  [DIALOGUES, 'silent', 'timeout', probe('dialogue'), "['silent'"],
  [DIALOGUES, 'slow', 'timeout, protocol or tls', probe('dialogue'), "'slow'"],
  [DIALOGUES, 'endless', 'protocol, tls or timeout', probe('dialogue'), "['endless line'"],
  [DIALOGUES, 'garbage', ONE_OF_THREE, probe('dialogue'), "'garbage'"],
  [DIALOGUES, 'half', ONE_OF_THREE, probe('dialogue'), "['half'"],
  [DIALOGUES, 'wrong TLS', 'tls', probe('dialogue'), "'$scheme with TLS from the start'"],
  [APPS, 'silent', 'timeout', test('apps-hostile'), 'silent: ()'],
  [APPS, 'slow', `timeout, ${ONE_OF_THREE}`, test('apps-hostile'), 'slow:'],
  [APPS, 'endless', ONE_OF_THREE, test('apps-hostile'), "'endless garbage': ()"],
  [APPS, 'garbage', ONE_OF_THREE, test('apps-hostile'), 'garbage: ()'],
  [APPS, 'half', ONE_OF_THREE, test('apps-hostile'), 'half:'],
  ['ws wss grpc grpcs mqtt mqtts', 'wrong TLS', 'tls', test('apps-hostile'), "'%s: the certificate is judged'"],
  ['postgres', 'wrong TLS', 'tls', probe('postgres'), "'the answer %j to the request for TLS fails the check'"],
  ['mysql', 'wrong TLS', 'tls', probe('mysql'), "'a greeting that does not allow TLS fails the check: %#'"],
  ['tcp', 'silent', 'timeout', probe('tcp'), "'case 20: silence fails, whatever %s'"],
  ['tcp', 'slow', 'ok', probe('tcp'), "'case 20: a banner may come in parts, and its deciding byte is the end'"],
  [
    'tcp',
    'endless',
    'judged by the first 4 KiB',
    probe('tcp'),
    "'case 20: an endless banner is judged by its first four kibibytes'",
  ],
  ['tcp', 'garbage', 'match', probe('tcp'), "'case 20: a wrong banner fails by the match once time is up'"],
  ['tcp', 'half', 'reset', probe('tcp'), "['closed'"],
  ['tcp', 'wrong TLS', 'tls', probe('tcp'), "'STARTTLS encrypts what follows, and the certificate is judged'"],
  ['dns', 'silent', 'timeout', probe('dns'), "['silence'"],
  ['dns', 'slow', 'timeout', probe('dns'), 'serveTcp(dripping)'],
  ['dns', 'endless', 'dns', probe('dns'), 'Buffer.alloc(200_000)'],
  ['dns', 'garbage', 'timeout', probe('dns'), "['garbage'"],
  ['dns', 'half', 'dns', probe('dns'), "['half an answer'"],
  ['dns', 'wrong TLS', 'tls', probe('dns'), "'over TCP and TLS, servers that behave badly fail by what they do'"],
  [
    'udp',
    'silent',
    'timeout',
    probe('udp'),
    "'silence fails only if a response is expected, and a closed port always does'",
  ],
  ['udp ntp', 'slow', 'ok', probe('udp'), "'a datagram that is lost is sent again'"],
  ['udp', 'endless', 'match', probe('udp'), "'an endless stream of responses ends with the run'"],
  [
    'udp',
    'garbage',
    'protocol',
    probe('udp'),
    "'a response must contain the expected bytes, whatever bytes these are'",
  ],
  ['udp', 'half', 'match', probe('udp'), "'a rule about the content waits for a response that keeps it'"],
  ['ntp', 'silent', 'timeout', probe('ntp'), "['silence'"],
  ['ntp', 'endless', 'timeout', probe('ntp'), "['garbage without end'"],
  ['ntp', 'garbage', 'timeout', probe('ntp'), "['a response to another request'"],
  ['ntp', 'half', 'timeout', probe('ntp'), "['half a packet'"],
  ['icmp', 'garbage', 'ignored', probe('icmp'), "'over IPv%i, only replies to our own requests count'"],
  ['icmp', 'half', 'ignored', probe('icmp'), "'over IPv%i, only replies to our own requests count'"],
]

/** What cannot be shown for a kind, with the reason. */
const NOT_SHOWN: readonly (readonly [kinds: string, fakes: readonly Fake[], why: string])[] = [
  ['ssh redis udp ntp icmp', ['wrong TLS'], 'has no TLS'],
  ['icmp', ['silent'], 'the kernel of this proof is silent'],
  ['icmp', ['slow', 'endless'], 'a reply that is late or repeated has no other form than one in time'],
]

/** Rows of the table: what a target does, the outcome, and the test that shows it. */
export const FAKE_ROWS: readonly (readonly [what: string, expected: string, shown: string])[] = [
  ...ROWS.map(([kinds, fake, expected, file, title]) => [`${kinds}: ${fake}`, expected, `${file} ${title}`] as const),
  ...NOT_SHOWN.map(([kinds, fakes, why]) => [`${kinds}: ${fakes.join(', ')}`, 'no test', why] as const),
]

/** Returns the combinations of these kinds with what a hostile target does that nothing shows, and tests that are not there. */
export function faultsOfFakes(kinds: readonly string[]): string[] {
  const gone = ROWS.filter(([, , , file, title]) => !readFileSync(new URL(file, AGENT), 'utf8').includes(title))
  const isShown = (kind: string, fake: Fake): boolean =>
    ROWS.some(([some, shown]) => shown === fake && some.split(' ').includes(kind)) ||
    NOT_SHOWN.some(([some, fakes]) => fakes.includes(fake) && some.split(' ').includes(kind))
  const missing = kinds.flatMap((kind) =>
    FAKES.filter((fake) => !isShown(kind, fake)).map((fake) => `${kind}: ${fake}`),
  )
  return [
    ...gone.map(([, , , file, title]) => `${file} has no test ${title}`),
    ...missing.map((combination) => `nothing shows ${combination}`),
  ]
}
