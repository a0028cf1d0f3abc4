// One request from one address, on a connection of its own.
import { Agent, request } from 'node:http'

export interface Asked {
  port: number
  address: string
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

const PATIENCE_MS = 60_000

/** Its status (0: no answer), its body, and how long that took. */
export async function ask({ port, address, path, method = 'GET', headers = {}, body }: Asked) {
  const begun = performance.now()
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve) => {
    const options = { host: '127.0.0.1', port, path, method, headers, localAddress: address, timeout: PATIENCE_MS }
    const sending = request({ ...options, agent: new Agent() }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      answer.once('error', () => resolve({ status: 0, text }))
    })
    sending.once('timeout', () => sending.destroy())
    sending.once('error', () => resolve({ status: 0, text: '' }))
    sending.end(body)
  })
  return { status, text, ms: performance.now() - begun }
}
