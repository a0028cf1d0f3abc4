// The second judge can say no.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { startJudge } from '../support/prism.ts'

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
  const judge = await startJudge(`http://127.0.0.1:${(liar.address() as AddressInfo).port}`)
  const ask = () => fetch(`${judge.url}/monitor-api/v1/ping`, { headers: { Authorization: 'Bearer x' } })
  // The first time Prism starts, and asks once for itself.
  await ask()
  next = 0
  judge.violations.length = judge.judged = 0
  for (const _ of answers) await ask()
  await judge.close()
  liar.close()
  expect(judge.judged).toBe(4)
  const blamed = new Set(judge.violations.map((line) => line.split(':')[0]))
  expect([...blamed]).toEqual(['GET /ping 418', 'GET /ping 200', 'GET /ping 401'])
})
