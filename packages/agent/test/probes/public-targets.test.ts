// Members of the shared fleet dial public addresses alone, however a target is spelt and wherever its name leads.
import { expect, test } from '@jest/globals'
import { isPublicAddress } from '../../src/probes/public-address.ts'
import { run } from '../support/checks.ts'

const SPELLINGS = `127.0.0.1 127.1 0x7f.1 2130706433 017700000001 0.0.0.0 localhost 10.0.0.1 172.16.0.1 192.168.1.1
  169.254.169.254 100.64.0.1 100.100.100.200 168.63.129.16 224.0.0.1 255.255.255.255 198.18.0.1 240.0.0.1 [::1] [::]
  [::ffff:10.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [fe80::1] [fd00::1] [ff02::1]`
const schemes = ['http', 'https', 'tcp', 'tls']

test.each(SPELLINGS.trim().split(/\s+/))('%s is not dialled by the shared fleet, over no scheme', async (host) => {
  for (const scheme of schemes) {
    const found = await run(`${scheme}://${host}:9`, {}, { public_targets_only: true })
    expect(found.error).toBe('blocked: the address is not public')
  }
})

test('a target that may not be dialled stays a failure in upside-down mode', async () => {
  const found = await run('http://10.0.0.1/', { invert_result: true }, { public_targets_only: true })
  expect(found).toMatchObject({ success: false, kind: 'blocked' })
})

test.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '::ffff:8.8.8.8', '2a00:1450::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each(['', 'shop.example', '8.8.8.8.8', 'fe80::1%lo'])('what is no public address is not one: %s', (text) => {
  expect(isPublicAddress(text)).toBe(false)
})
