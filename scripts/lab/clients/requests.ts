// Sends single requests from a chosen address. On Linux, all of 127.0.0.0/8 belongs to this machine.
import { Agent, request } from 'node:http'

export interface RequestPlan {
  port: number
  path: string
  /** Address that the request comes from. Default: 127.0.0.1. */
  address?: string
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
  /** Pool of connections. Absent if the request has a connection of its own. */
  agent?: Agent
}

const PATIENCE_MS = 60_000

/** Sends a request. The status is 0 if there is no response. */
export async function send({ address, body, ...plan }: RequestPlan) {
  const begun = performance.now()
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve) => {
    const ownAddress = address === undefined ? {} : { localAddress: address }
    const options = { host: '127.0.0.1', agent: new Agent(), timeout: PATIENCE_MS, ...ownAddress, ...plan }
    const sending = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.once('error', () => resolve({ status: 0, text }))
    })
    sending.once('timeout', () => sending.destroy())
    sending.once('error', () => resolve({ status: 0, text: '' }))
    sending.end(body)
  })
  return { status, text, ms: performance.now() - begun }
}
