// Opens the live stream of a page, and counts the changes that it reports.
import { get } from 'node:http'

export interface Stream {
  /** Status of the response. 0 if there is none yet. */
  status: number
  isOpen: boolean
  changes: number
  close(): void
}

/** Opens the stream of a page from this address. Calls `onEnd` if the stream is not closed here. */
export function openStream(url: string, cookie: string, localAddress: string, onEnd = () => {}): Stream {
  let isClosed = false
  const sending = get(`${url}/live?v=0`, { headers: { cookie }, localAddress, agent: false }, (response) => {
    stream.status = response.statusCode ?? 0
    stream.isOpen = stream.status === 200
    // A part without data is a keepalive.
    response.setEncoding('utf8').on('data', (part: string) => (stream.changes += part.includes('data: ') ? 1 : 0))
    response.on('error', () => {})
  })
  const close = (): void => {
    isClosed = true
    sending.destroy()
  }
  const stream: Stream = { status: 0, isOpen: false, changes: 0, close }
  sending.on('error', () => {})
  sending.once('close', () => {
    stream.isOpen = false
    if (!isClosed) onEnd()
  })
  return stream
}
