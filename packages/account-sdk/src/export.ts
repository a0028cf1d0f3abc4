// Requests an export, passes its body on as it arrives, and fails with a clear error if the body is cut short. Loaded on demand.

import { type HandOut, isObject } from '#core/operation'
import type { CallOptions } from '#core/options'
import { CUT_SHORT, cutShort, isHeader, notPromised } from './export-document.ts'
import type { ExportedResults, ExportStream } from './export-parts.ts'
import type { AccountExport } from './generated.ts'
import type { Unusable } from './unusable.ts'
import type { Via } from './via.ts'

/** Parses the whole document of a stream. Throws a ConnectionError if it is not complete. */
export async function parseExport({ stream }: ExportStream, unusable: Unusable): Promise<AccountExport> {
  const answer = parsed(await textOf(stream), unusable)
  if (isHeader(answer) && isObject((answer as Partial<AccountExport>).results)) return answer as AccountExport
  throw notPromised(unusable)
}

/** Requests the export, and returns it before its body has arrived. */
export async function openExport({ http, strictly }: Via, options: CallOptions | undefined): Promise<ExportStream> {
  const fetch = strictly({ ...options, handOut })
  const { data, response } = await http.GET('/export', { parseAs: 'stream', fetch })
  return { stream: data as ReadableStream<Uint8Array>, filename: filenameOf(response.headers) }
}

/** Reads the export that `open` requests, and returns it with its results one by one. */
export async function readExport(open: () => Promise<ExportStream>, unusable: Unusable): Promise<ExportedResults> {
  // Loads the reader before the request, because the number of exports is limited, and a failed one counts.
  const { readParts } = await import('./export-reader.ts')
  return readParts(await open(), unusable)
}

/** Returns the file name in a `Content-Disposition` header. */
function filenameOf(headers: Headers): string | undefined {
  const found = /;\s*filename=(?:"([^"]*)"|([^\s;]+))/i.exec(headers.get('content-disposition') ?? '')
  return (found?.[1] ?? found?.[2])?.split(/[/\\]/).pop() || undefined
}

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
  }
}

function parsed(text: string, unusable: Unusable): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text, which may contain a secret.
    throw cutShort(unusable, 'the response is not complete JSON')
  }
}

/**
 * Returns the body of `response`. It fails with a `TimeoutError` if the server sends nothing while a reader waits, with a
 * `ConnectionError` if it is cut short, and with the signal's reason.
 */
const handOut: HandOut = (response, watched, lost) => {
  if (!response.headers.get('content-type')?.includes('json')) {
    response.body?.cancel().catch(() => {})
    throw new Error('the response is not JSON')
  }
  const reader = (response.body ?? new Blob([]).stream()).getReader()
  let fail: (cause: unknown) => void = () => {}
  const onAbort = () => fail(watched.signal.reason)
  const over = () => {
    fail = () => {}
    watched.signal.removeEventListener('abort', onAbort)
    watched.release()
  }
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      fail = (cause) => {
        controller.error(lost(cause, CUT_SHORT))
        over()
        reader.cancel(cause).catch(() => {})
      }
      watched.pause()
      watched.signal.addEventListener('abort', onAbort)
    },
    async pull(controller) {
      watched.progress()
      try {
        const { done, value } = await watched.guard(reader.read())
        watched.pause()
        if (!done) return controller.enqueue(value)
        over()
        controller.close()
      } catch (cause) {
        fail(cause)
      }
    },
    async cancel(reason) {
      over()
      await reader.cancel(reason)
    },
  }
  // Reads nothing in advance, because the timeout does not apply while no reader waits.
  return new ReadableStream(source, { highWaterMark: 0 })
}
