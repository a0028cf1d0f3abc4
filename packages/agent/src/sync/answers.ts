// Distinguishes the server's own responses from those of a proxy, a firewall or a captive portal between it and the agent.
import type { Fetch } from '@dogwatch/monitor-sdk'

/**
 * A response that a proxy or firewall gave in the server's place. It says something about the path to the server, and nothing
 * about the request.
 */
export class ForeignAnswer extends Error {
  readonly status: number

  constructor(status: number, why: string) {
    super(`a response with status ${status} did not come from the server: ${why}`)
    this.status = status
  }
}

/** Returns the ForeignAnswer that caused an error, or undefined if another error did. */
export function foreignAnswerOf(error: unknown): ForeignAnswer | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as ErrorOptions).cause) {
    if (at instanceof ForeignAnswer) return at
  }
  return undefined
}

/** Maximum length of a line of the server, in characters. */
const LINE_MAX_CHARS = 1000

/** Returns a `fetch` that rejects with a ForeignAnswer if the server cannot have given the response. */
export function takeOnlyOurs(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    const { status } = response
    // These statuses ask the client to try again later, even if a proxy sent them.
    if (status >= 500 || status === 408 || status === 429) return response
    const why = strangenessOf(response, url)
    if (why !== undefined) {
      response.body?.cancel().catch(() => undefined)
      throw new ForeignAnswer(status, why)
    }
    return response.ok ? response : withLine(response)
  }
}

function strangenessOf({ status, ok, headers }: Response, url: string): string | undefined {
  if (status < 200 || (status >= 300 && status < 400))
    return 'it is a redirect; --server must be the URL of the server itself'
  const type = /^[^\s;]*/.exec(headers.get('content-type') ?? '')?.[0].toLowerCase() ?? ''
  const wanted = ok ? 'application/json' : 'text/plain'
  if (type !== wanted) return `its content type is ${type || 'missing'} instead of ${wanted}`
  // Accepts the response to an enrollment even from behind a proxy that drops headers, because the server sends the key in it
  // only once.
  if (ok && url.endsWith('/enroll')) return undefined
  return headers.has('x-request-id') ? undefined : 'it has no X-Request-Id header, which proxies must pass through'
}

/**
 * Reads the body of a refusal, and returns a response with the same body. Throws ForeignAnswer if the body is not one line of
 * text.
 */
async function withLine(response: Response): Promise<Response> {
  const { status, headers } = response
  const text = await textOf(response)
  if (text.length > LINE_MAX_CHARS || /[\r\n]/.test(text.trimEnd()) || /^\s*</.test(text)) {
    throw new ForeignAnswer(status, 'its body is not one line of text')
  }
  return new Response(text, { status, headers })
}

async function textOf({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (reader && text.length <= LINE_MAX_CHARS) {
    const { done, value } = await reader.read()
    if (done) return text
    text += decoder.decode(value, { stream: true })
  }
  reader?.cancel().catch(() => undefined)
  return text
}
