// Stylesheets and scripts: anybody may ask for them, so they must cost next to nothing.

import { STYLE_PATH, UPLOT_SCRIPT_PATH } from '@dogwatch/console/assets'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { exchange } from '../../../api/test/support/raw-http.ts'
import { type World, world } from '../support/world.ts'

let w: World
beforeEach(async () => {
  w = await world({ address_limit: { per_sec: 0.01, burst: 2 } })
})
afterEach(() => w.close())

async function get(path: string, encoding: string) {
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`
  const { answers } = await exchange(Number(new URL(w.direct).port), [request])
  const [answer] = answers
  return { status: answer?.status, encoding: answer?.headers['content-encoding'], length: answer?.body.length ?? 0 }
}

test('they are sent as they were compressed at the start, and nothing is compressed for one request', async () => {
  const plain = await get(UPLOT_SCRIPT_PATH, 'identity')
  const gzipped = await get(UPLOT_SCRIPT_PATH, 'br, gzip')
  expect({ ...plain, length: 0 }).toEqual({ status: 200, encoding: undefined, length: 0 })
  expect({ ...gzipped, length: 0 }).toEqual({ status: 200, encoding: 'gzip', length: 0 })
  expect(gzipped.length).toBeLessThan(plain.length / 2)
  expect(await get(UPLOT_SCRIPT_PATH, 'br')).toEqual(plain)
})

test('an address has twenty times the rate of pages for them', async () => {
  const statuses: (number | undefined)[] = []
  for (let n = 0; n < 60; n++) statuses.push((await get(STYLE_PATH, 'gzip')).status)
  expect(statuses.slice(0, 30)).not.toContain(429)
  expect(statuses).toContain(429)
})
