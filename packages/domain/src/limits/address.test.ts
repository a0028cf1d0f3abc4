// One client, however its address is written.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { addressBlock, clientAt } from './address.ts'

describe('addressBlock', () => {
  const cases: Record<string, [ip: string, want: string]> = {
    'IPv4 is itself': ['192.0.2.1', '192.0.2.1'],
    'its neighbour is another': ['192.0.2.2', '192.0.2.2'],
    'IPv4-mapped is the IPv4': ['::ffff:192.0.2.1', '192.0.2.1'],
    'IPv4-mapped in hex is too': ['::ffff:c000:201', '192.0.2.1'],
    'IPv4-mapped in capitals is too': ['::FFFF:192.0.2.1', '192.0.2.1'],
    'IPv6 is its /64': ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    'another address of the /64 is the same': ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    'the next /64 is another': ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    'capitals make no other': ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    'zeros in front make no other': ['2001:0db8:0001:0002::0001', '2001:db8:1:2::/64'],
    'IPv6 loopback': ['::1', '0:0:0:0::/64'],
    'a proxy that adds the port of IPv4': ['192.0.2.1:51234', '192.0.2.1'],
    'a proxy that adds the port of IPv6': ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    'IPv6 in brackets': ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    nothing: ['', 'unknown'],
    'a name': ['client.example', 'unknown'],
    'the word of a proxy that hides it': ['_hidden', 'unknown'],
    'an address and something else': ['192.0.2.1, 192.0.2.2', 'unknown'],
  }
  test.each(Object.entries(cases))('%s', (_, [ip, want]) => expect(addressBlock(ip)).toBe(want))

  test('two IPv6 addresses are one client exactly when their first 64 bits are the same', () => {
    const group = fc.nat(0xffff)
    const address = fc.tuple(group, group, group, group, group, group, group, group)
    fc.assert(
      fc.property(address, address, fc.boolean(), (one, other, isSameBlock) => {
        const second = isSameBlock ? [...one.slice(0, 4), ...other.slice(4)] : other
        fc.pre(![one, second].some(isMapped))
        const same = one.slice(0, 4).join() === second.slice(0, 4).join()
        expect(addressBlock(write(one)) === addressBlock(write(second))).toBe(same)
      }),
    )
  })

  test('whatever a proxy hands on, there is one bucket for it and nothing throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(addressBlock(text)).toMatch(/^(unknown|[\d.]+|[\da-f:]+::\/64)$/)
      }),
    )
  })
})

function write(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':')
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
}

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8:1:ffff::1', '2001:db8:1::/48'],
  ['2001:db8:2::1', '2001:db8:2::/48'],
  ['::1', '0:0:0::/48'],
  ['who', 'unknown'],
])('the network of %s is %s', (ip, want) => expect(clientAt(ip).network).toBe(want))
