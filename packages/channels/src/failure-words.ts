// Puts the reason of a failed run into words for people. Programs get the agent's text unchanged: `kind: words`.

interface FailureKind {
  /** Text before the agent's words, unless they already contain it. */
  label: string
  /** Text to show when only the kind of failure is known, as for private definitions. */
  alone: string
  /** Matches words of the agent that make the label redundant. */
  said?: RegExp
}

const KINDS = new Map(
  Object.entries<FailureKind>({
    dns: { label: 'DNS', alone: 'DNS lookup failed' },
    refused: { label: 'Connection', alone: 'Connection refused', said: /refused/i },
    timeout: { label: 'Timeout', alone: 'Timed out', said: /time/i },
    unreachable: { label: 'Unreachable', alone: 'Host unreachable', said: /no route|be reached/i },
    reset: { label: 'Connection', alone: 'Connection closed by the server', said: /connection/i },
    tls: { label: 'TLS', alone: 'TLS handshake failed', said: /certificate|tls/i },
    http: { label: 'HTTP', alone: 'The response is not valid HTTP', said: /http/i },
    redirect: { label: 'Redirect', alone: 'Redirect could not be followed', said: /redirect/i },
    status: { label: 'HTTP status', alone: 'Unexpected HTTP status', said: /status/i },
    cert_expiry: { label: 'Certificate', alone: 'The certificate expires too soon', said: /certificate/i },
    match: { label: 'Content', alone: 'Unexpected content', said: /contain/i },
    assertion: { label: 'Assertion', alone: 'An assertion failed', said: /^Assertion/ },
    slow: { label: 'Slow response', alone: 'Slow response' },
    protocol: { label: 'Protocol', alone: 'The target does not follow its protocol' },
    blocked: { label: 'Blocked', alone: 'The address is not allowed' },
    config: { label: 'Definition', alone: 'The check settings are invalid' },
    inverted: { label: 'Inverted', alone: 'The target is up, but this check is inverted', said: /inverted/ },
  }),
)

/**
 * Whether a word is a kind of failure that agents report. Any other first word of an error can come from a definition, which may
 * be private.
 */
export function isKindOfFailure(word: string): boolean {
  return KINDS.has(word)
}

const EXPECTED = new Map(
  Object.entries({
    eq: 'expected',
    ne: 'expected anything except',
    lt: 'expected below',
    lte: 'expected at most',
    gt: 'expected above',
    gte: 'expected at least',
  }),
)

/**
 * Returns a failure in words: `status: the status is 503` becomes `HTTP status 503`. A text of an unknown kind does not change.
 */
export function failureWords(error: string): string {
  const end = error.indexOf(':')
  const name = end < 0 ? error : error.slice(0, end)
  const kind = isKindOfFailure(name) ? KINDS.get(name) : undefined
  if (kind === undefined) return error
  const words = end < 0 ? '' : error.slice(end + 1).trim()
  if (words === '') return kind.alone
  if (name === 'status') return statusWords(words)
  // Matches words such as `while connecting` and `during the TLS handshake`.
  if (name === 'timeout' && /^(while|during) /.test(words)) return `Timeout ${words}`
  const plain = name === 'match' ? contentWords(words) : name === 'assertion' ? assertionWords(words) : words
  return kind.said?.test(plain) ? `${plain.slice(0, 1).toUpperCase()}${plain.slice(1)}` : `${kind.label}: ${plain}`
}

/** Turns `rule 2: size is 12, expected lt 10` into `Assertion 2: size is 12, expected below 10`. */
function assertionWords(words: string): string {
  return words
    .replace(/^rule (\d{1,2})$/, 'Assertion $1 failed')
    .replace(/^rule (\d{1,2})/, 'Assertion $1')
    .replace(/, expected (eq|ne|lte?|gte?) /, (_, operator: string) => `, ${EXPECTED.get(operator)} `)
}

function statusWords(words: string): string {
  const [, alone] = /^(?:the status is )?(\d{1,3})$/.exec(words) ?? []
  if (alone !== undefined) return `HTTP status ${alone}`
  const [, status, operator = '', value] = /^(\d{1,3}) is not (\w{2,3}) (\d{1,3})$/.exec(words) ?? []
  const expected = EXPECTED.get(operator)
  return status === undefined || expected === undefined
    ? `HTTP status: ${words}`
    : `HTTP status ${status}, ${expected} ${value}`
}

/** Rewords texts from previous versions of the agent as current agents report them. */
function contentWords(words: string): string {
  return words
    .replace(/ does not hold the match$/, ' does not contain the expected text')
    .replace(/ holds what it must not$/, ' contains the text that it must not contain')
    .replace(/, which is all that is read$/, '; the rest is not read')
}
