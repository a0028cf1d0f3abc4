// Speaks OpenID Connect to the one provider of this server: the code flow with PKCE.
import { createHash } from 'node:crypto'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetchOptions,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client'

export interface OpenIdSettings {
  issuer: string
  client_id: string
  client_secret: string
  /** URL of this server that the provider sends browsers back to. */
  redirect_uri: string
}

/** State, nonce and PKCE verifier of one sign-in attempt. */
export interface SignInAttempt {
  state: string
  nonce: string
  /** Code verifier of PKCE, the secret that the server sends with the code. */
  verifier: string
}

/** Claims of the provider about a person: those of the ID token, and those of the user info that the ID token lacks. */
export interface ProviderClaims {
  issuer: string
  subject: string
  claims: Readonly<Record<string, unknown>>
}

/** Error that the provider does not respond, or responds with a fault. The message is for the log. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway'
}

/** Error that the provider's response is invalid: a wrong state, a used code, a wrong nonce. The message is for the log. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
}

/**
 * Maximum length of the query in characters. The head of a request has no room for more, and Node parses many parameters in
 * quadratic time.
 */
export const MOST_QUERY_CHARS = 16_384
/** Timeout of one request to the provider, in milliseconds. */
const TIMEOUT_MS = 5_000
/** Maximum size of a response. Documents of providers have some kilobytes. */
const MAX_BYTES = 512 * 1024
/** Time in milliseconds after which to read the provider's description again. */
const KEEP_MS = 3_600_000

export class OpenIdProvider {
  readonly #settings: OpenIdSettings
  readonly #timeout_ms: number
  #known: { config: Promise<Configuration>; until: number } | undefined

  constructor(settings: OpenIdSettings, { timeout_ms = TIMEOUT_MS }: { timeout_ms?: number } = {}) {
    this.#settings = settings
    this.#timeout_ms = timeout_ms
  }

  get issuer(): string {
    return this.#settings.issuer
  }

  /** Returns the URL of the provider that the browser must visit. */
  async addressFor({ state, nonce, verifier }: SignInAttempt): Promise<string> {
    const config = await this.#configuration()
    const { href } = buildAuthorizationUrl(config, {
      redirect_uri: this.#settings.redirect_uri,
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    return href
  }

  /** Returns the claims of the provider after a visit. `query` is the query of the URL that the browser returned with. */
  async claimsOf(query: string, visit: SignInAttempt): Promise<ProviderClaims> {
    if (query.length > MOST_QUERY_CHARS) throw new ProviderRefused('the response is too long')
    const config = await this.#configuration()
    try {
      const url = new URL(this.#settings.redirect_uri)
      url.search = query
      const tokens = await authorizationCodeGrant(config, url, {
        pkceCodeVerifier: visit.verifier,
        expectedState: visit.state,
        expectedNonce: visit.nonce,
        idTokenExpected: true,
      })
      const told = tokens.claims()
      if (!told) throw new ProviderRefused('no ID token')
      const hasMore = config.serverMetadata().userinfo_endpoint !== undefined
      const more = hasMore ? await fetchUserInfo(config, tokens.access_token, told.sub) : {}
      return { issuer: told.iss, subject: told.sub, claims: { ...more, ...told } }
    } catch (error) {
      throw faultOf(error)
    }
  }

  async #configuration(): Promise<Configuration> {
    const now = performance.now()
    if (!this.#known || this.#known.until < now) {
      this.#known = { config: this.#discover(), until: now + KEEP_MS }
    }
    try {
      return await this.#known.config
    } catch (error) {
      this.#known = undefined
      throw new ProviderAway(reasonOf(error))
    }
  }

  async #discover(): Promise<Configuration> {
    const { issuer, client_id, client_secret } = this.#settings
    const options = {
      execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [MAY_BE_PLAIN] : [])],
      [customFetch]: (url: string, request: CustomFetchOptions) => boundedFetch(url, request, this.#timeout_ms),
    }
    const ask = (how: typeof ClientSecretBasic) =>
      discovery(new URL(issuer), client_id, undefined, how(client_secret), options)
    const config = await ask(ClientSecretBasic)
    const ways = config.serverMetadata().token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const isPost = !ways.includes('client_secret_basic') && ways.includes('client_secret_post')
    return isPost ? ask(ClientSecretPost) : config
  }
}

// Allows http, for a provider on the same machine or network that the operator configured so. The library accepts only
// its own function for this.
// eslint-disable-next-line @typescript-eslint/no-deprecated -- it is marked so that its use is noticed
const MAY_BE_PLAIN = allowInsecureRequests

async function boundedFetch(url: string, request: CustomFetchOptions, timeout_ms: number): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(timeout_ms)
    const response = await fetch(url, { ...(request as RequestInit), signal })
    if (response.status >= 500) throw new ProviderAway(`status ${response.status} from ${new URL(url).pathname}`)
    const body = await readBounded(response)
    const { status, statusText, headers } = response
    return new Response(body.length === 0 ? null : body, { status, statusText, headers })
  } catch (error) {
    throw error instanceof ProviderAway ? error : new ProviderAway(reasonOf(error))
  }
}

async function readBounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  if (!body) return new Uint8Array()
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new ProviderAway('the response is too large')
    chunks.push(chunk)
  }
  return Uint8Array.from(Buffer.concat(chunks))
}

function faultOf(error: unknown): Error {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof ProviderAway) return at
  return new ProviderRefused(reasonOf(error))
}

/**
 * Returns the message of an error on one line, with those of its causes, because the outer message alone often says nothing.
 */
function reasonOf(error: unknown): string {
  const lines: string[] = []
  for (let at: unknown = error; at instanceof Error && lines.length < 4; at = at.cause) lines.push(at.message)
  return lines.join(': ').slice(0, 300) || 'unknown'
}
