// The address of a client is the one that Express sees.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import express from 'express'
import { clientAddress, trustOf } from './client.ts'

test.each([
  [false, [undefined, '', '192.0.2.1', '192.0.2.1, 192.0.2.2']],
  [
    ['127.0.0.1', '10.0.0.0/8'],
    [
      undefined,
      '',
      '192.0.2.1',
      '192.0.2.1, 192.0.2.2',
      '192.0.2.1,10.0.0.1',
      ' 10.0.0.1 ,10.0.0.2',
      'x',
      '::1',
      ',',
      ' , ',
    ],
  ],
] as const)('with %j trusted', async (trusted, headers) => {
  const app = express()
  app.set('trust proxy', trusted === false ? false : [...trusted])
  app.use((req, res) => {
    res.json({ express: req.ip, ours: clientAddress(req as IncomingMessage, trustOf(app)) })
  })
  const server = createServer(app as RequestListener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    for (const given of headers) {
      const answer = await fetch(url, { headers: given === undefined ? {} : { 'X-Forwarded-For': given } })
      const { express: want, ours } = (await answer.json()) as { express?: string; ours?: string }
      expect({ given, address: ours ?? '' }).toEqual({ given, address: want ?? '' })
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
