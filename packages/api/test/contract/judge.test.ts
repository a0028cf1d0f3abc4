// The second judge can say no.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { recordAnswers } from '../support/prism.ts'

test('Prism notices a status, a body and a type that the document does not have', async () => {
  const answers = [
    [418, 'text/plain', 'teapot'],
    [200, 'application/json', '{"status":7}'],
    [401, 'application/json', '{"error":"no"}'],
    [200, 'application/json', '{"status":"ok"}'],
  ] as const
  let next = 0
  const liar = createServer((_req, res) => {
    const [status, type, body] = answers[next++] ?? answers[3]
    res.writeHead(status, { 'Content-Type': type, 'X-Request-Id': 'r-1', 'WWW-Authenticate': 'Bearer' }).end(body)
  })
  await new Promise<void>((resolve) => void liar.listen(0, '127.0.0.1', resolve))
  const recorded = recordAnswers(liar)
  const url = `http://127.0.0.1:${(liar.address() as AddressInfo).port}/monitor-api/v1/ping`
  for (const _ of answers) await (await fetch(url, { headers: { Authorization: 'Bearer x' } })).text()
  const { judged, violations } = await recorded.judge()
  liar.close()
  expect(judged).toBe(4)
  const blamed = new Set(violations.map((line) => line.split(':')[0]))
  expect([...blamed]).toEqual(['GET /ping 418', 'GET /ping 200', 'GET /ping 401'])
  expect(violations.filter((line) => line.startsWith('GET /ping 200'))).toHaveLength(1)
})
