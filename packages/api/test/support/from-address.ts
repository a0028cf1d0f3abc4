// Requests from addresses of one's own choosing: all of 127.0.0.0/8 is this machine's on Linux.
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface Sent {
  method?: string
  body?: string
  headers?: Record<string, string>
}

/** One request on a connection of its own from that address. Fails when the connection is closed before an answer. */
export function requestFrom(localAddress: string, url: string, { body, ...options }: Sent = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false })
    const sending = request(url, { localAddress, agent, ...options }, (answer) => {
      text(answer).then(
        (read) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: read }),
        reject,
      )
    })
    sending.once('error', reject)
    sending.end(body)
  })
}
