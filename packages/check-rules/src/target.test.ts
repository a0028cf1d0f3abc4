// Targets: what urls there are, and which hosts are internal however they are written.
import { isIP } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { SCHEME_NAMES } from './schemes.ts'
import { isInternalHost, isInternalTarget, isPublicAddress, isSameServer, readTarget } from './target.ts'
import { UNKNOWN_SCHEME } from './words.ts'

const NO_KIND = { fault: UNKNOWN_SCHEME }
const NO_URL = { fault: 'is not a valid URL' }
const NO_PORT = { fault: 'must have a port from 1 to 65535' }
const NO_TCP = { fault: 'must have the form tcp://host:port' }
const NO_TLS = { fault: 'must have the form tls://host:port' }

describe('readTarget', () => {
  const cases: Record<string, [url: string, want: { scheme: string; host: string } | { fault: string }]> = {
    http: ['http://example.com/', { scheme: 'http', host: 'example.com' }],
    https: ['https://example.com', { scheme: 'https', host: 'example.com' }],
    'a port, a path, a query and a fragment': [
      'https://example.com:8443/a?b=c#d',
      { scheme: 'https', host: 'example.com' },
    ],
    'basic-auth userinfo': ['https://user:p%40ss@example.com/', { scheme: 'https', host: 'example.com' }],
    'the host is behind the last @': ['http://example.com@evil.test/', { scheme: 'http', host: 'evil.test' }],
    'upper case': ['HTTPS://EXAMPLE.COM/', { scheme: 'https', host: 'example.com' }],
    'a trailing dot': ['https://example.com./', { scheme: 'https', host: 'example.com' }],
    'an international name': ['https://bücher.example/', { scheme: 'https', host: 'xn--bcher-kva.example' }],
    IPv6: ['http://[2606:4700::1111]/', { scheme: 'http', host: '2606:4700::1111' }],
    tcp: ['tcp://example.com:25', { scheme: 'tcp', host: 'example.com' }],
    'tcp on IPv4': ['tcp://93.184.216.34:25', { scheme: 'tcp', host: '93.184.216.34' }],
    'tcp on IPv6': ['tcp://[2606:4700::1111]:25', { scheme: 'tcp', host: '2606:4700::1111' }],
    'tcp on the port that the web parser drops': ['tcp://example.com:80', { scheme: 'tcp', host: 'example.com' }],
    tls: ['tls://example.com:443', { scheme: 'tls', host: 'example.com' }],
    'upper-case tls': ['TLS://EXAMPLE.com:443', { scheme: 'tls', host: 'example.com' }],
    'the first port': ['tcp://example.com:1', { scheme: 'tcp', host: 'example.com' }],
    'the last port': ['tcp://example.com:65535', { scheme: 'tcp', host: 'example.com' }],

    'no scheme': ['example.com', NO_KIND],
    'no scheme but a port': ['example.com:80', NO_KIND],
    'no slashes': ['http:example.com', NO_KIND],
    'one slash': ['http:/example.com', NO_KIND],
    backslashes: ['http:\\\\example.com', NO_KIND],
    'another scheme': ['gopher://example.com/', NO_KIND],
    'a file': ['file:///etc/passwd', NO_KIND],
    javascript: ['javascript:alert(1)', NO_KIND],
    'a blank in front': [' http://example.com/', NO_KIND],
    'http without a host': ['http://', NO_URL],
    'http with a port alone': ['http://:80/', NO_URL],
    'http with a port out of range': ['http://example.com:65536/', NO_URL],
    'http with port 0': ['http://example.com:0/', NO_PORT],
    'a blank in the host': ['http://exa mple.com/', NO_URL],
    'a blank in the path': ['http://example.com/a b', NO_URL],
    'a line break in the host, which parsers drop': ['http://127.0\n.0.1/', NO_URL],
    'a number too big for IPv4': ['http://4294967296/', NO_URL],
    'too many parts for IPv4': ['http://1.2.3.4.5/', NO_URL],
    'IPv6 without an end': ['http://[::1/', NO_URL],
    'IPv6 with a zone': ['http://[fe80::1%25eth0]/', NO_URL],
    'tcp without a port': ['tcp://example.com', NO_TCP],
    'tcp with an empty port': ['tcp://example.com:', NO_TCP],
    'tcp with port 0': ['tcp://example.com:0', NO_TCP],
    'tcp with a port out of range': ['tcp://example.com:65536', NO_TCP],
    'tcp with six digits': ['tcp://example.com:000080', NO_TCP],
    'tcp with a path': ['tcp://example.com:25/', NO_TCP],
    'tcp with a query': [
      'tcp://example.com:25?x',
      { fault: 'must not have the option "x"; the options are expect, send, starttls' },
    ],
    'tcp with userinfo': ['tcp://user@example.com:25', NO_TCP],
    'tcp without a host': ['tcp://:25', NO_TCP],
    'tcp on IPv6 without brackets': ['tcp://::1:25', NO_TCP],
    'tcp with a port by name': ['tcp://example.com:smtp', NO_TCP],
    'tcp with a line break behind': ['tcp://example.com:25\n', NO_TCP],
    'tcp with a blank in the host': ['tcp://exa mple.com:25', NO_TCP],
    'tls without a port': ['tls://example.com', NO_TLS],
    'tls with a zone': ['tls://[fe80::1%eth0]:443', NO_TLS],
  }
  test.each(Object.entries(cases))('%s', (_, [url, want]) => expect(readTarget(url)).toMatchObject(want))

  test.each([
    ['http://example.com/', 80, 'example.com'],
    ['https://example.com/a?b=c#d', 443, 'example.com/a'],
    ['https://user:pw@example.com:8443/', 8443, 'example.com:8443'],
    ['https://[::1]/', 443, '[::1]'],
    ['tcp://example.com:80', 80, 'example.com:80'],
    ['tls://[::1]:0443', 443, '[::1]:443'],
  ])('%s leads to port %i, and is shown as %s', (url, port, shown) => {
    expect(readTarget(url)).toMatchObject({ port, shown })
  })

  test('of a web address, the whole URL is kept', () => {
    const text = 'https://user:pw@example.com:8443/a?b=c#d'
    expect(readTarget(text)).toMatchObject({ url: new URL(text) })
  })

  test('whatever is typed, it answers and does not throw', () => {
    const urls = fc
      .tuple(fc.constantFrom(...SCHEME_NAMES, 'x', ''), fc.string({ unit: 'binary' }))
      .map(([scheme, rest]) => `${scheme}://${rest}`)
    fc.assert(
      fc.property(urls, (url) => {
        const target = readTarget(url)
        if ('host' in target) expect(target.host).toBe(target.host.toLowerCase())
      }),
    )
  })
})

describe('the host of a url', () => {
  const internal: Record<string, string> = {
    localhost: 'http://localhost/',
    'localhost in capitals': 'http://LOCALHOST/',
    'localhost with a dot': 'http://localhost./',
    'localhost with two dots': 'http://localhost../',
    'localhost in full-width letters': 'http://ｌｏｃａｌｈｏｓｔ/',
    'localhost percent-encoded': 'http://%6cocalhost/',
    'below localhost': 'http://api.localhost/',
    'localhost behind userinfo': 'http://example.com@localhost/',
    'one label': 'http://intranet/',
    '.local': 'http://printer.local/',
    '.local in capitals, with a dot': 'http://PRINTER.LOCAL./',
    '.internal': 'https://db.prod.internal/',
    '.lan': 'http://nas.lan/',
    '.home.arpa': 'http://router.home.arpa/',
    'home.arpa itself': 'http://home.arpa/',
    loopback: 'http://127.0.0.1/',
    'loopback of another number': 'http://127.255.255.254/',
    'loopback in two parts': 'http://127.1/',
    'loopback as one number': 'http://2130706433/',
    'loopback in hex': 'http://0x7f000001/',
    'loopback in hex by parts': 'http://0x7f.0x0.0x0.0x1/',
    'loopback in octal': 'http://017700000001/',
    'loopback in octal by parts': 'http://0177.0.0.1/',
    'loopback with a dot': 'http://127.0.0.1./',
    'loopback in full-width digits': 'http://１２７．０．０．１/',
    'loopback with ideographic stops': 'http://127。0。0。1/',
    'loopback behind userinfo': 'http://user:example.com@127.0.0.1:8080/',
    'loopback over tcp, disguised': 'tcp://0x7f.1:6379',
    'loopback over tls': 'tls://127.0.0.1:443',
    'this network': 'http://0.0.0.0/',
    'nothing but 0': 'http://0/',
    '10/8': 'http://10.1.2.3/',
    '172.16/12 at its end': 'http://172.31.255.255/',
    '192.168/16': 'http://192.168.1.1/',
    'link-local, where clouds keep secrets': 'http://169.254.169.254/',
    "Azure's host beneath the machine": 'http://168.63.129.16/machine',
    'link-local as a number': 'http://2852039166/',
    CGNAT: 'http://100.64.0.1/',
    'CGNAT, where a cloud keeps secrets': 'http://100.100.100.200/',
    'CGNAT at its end': 'http://100.127.255.255/',
    multicast: 'http://224.0.0.1/',
    reserved: 'http://240.0.0.1/',
    broadcast: 'http://255.255.255.255/',
    benchmarking: 'http://198.18.0.1/',
    'IPv6 loopback': 'http://[::1]/',
    'IPv6 loopback in full': 'http://[0:0:0:0:0:0:0:1]/',
    'IPv6 unspecified': 'http://[::]/',
    'IPv6 loopback over tcp': 'tcp://[::1]:22',
    ULA: 'http://[fd12:3456::1]/',
    'IPv6 link-local': 'http://[fe80::1]/',
    'IPv6 site-local of old': 'http://[fec0::1]/',
    'IPv6 multicast': 'http://[ff02::1]/',
    'IPv4-mapped': 'http://[::ffff:127.0.0.1]/',
    'IPv4-mapped in hex': 'http://[::ffff:a00:1]/',
    'IPv4-mapped over tcp': 'tcp://[::FFFF:192.168.0.1]:80',
    'IPv4-compatible': 'http://[::127.0.0.1]/',
    'IPv4-translated': 'http://[::ffff:0:7f00:1]/',
    NAT64: 'http://[64:ff9b::7f00:1]/',
    'NAT64 within a network': 'http://[64:ff9b:1::7f00:1]/',
    '6to4': 'http://[2002:7f00:1::]/',
    Teredo: 'http://[2001:0:7f00:1::]/',
    'IPv6 that nobody was given': 'http://[4000::1]/',
    'IPv6 for documents': 'http://[2001:db8::1]/',
  }
  test.each(Object.entries(internal))('%s is internal', (_, url) => {
    expect(isInternalHost(hostOf(url))).toBe(true)
    expect(isPublicAddress(hostOf(url))).toBe(false)
  })

  const outside: Record<string, string> = {
    'a name': 'https://example.com/',
    'a name with a dot': 'https://example.com./',
    'a name that ends like an inner one': 'https://notlocal.example/',
    'a name with an inner one in front': 'https://localhost.example.com/',
    'a name with an address in front': 'https://127.0.0.1.nip.io/',
    'a label that ends in lan': 'https://milan.it/',
    'a name that ends in xlan': 'https://example.xlan/',
    'a name below arpa': 'https://2.0.192.in-addr.arpa/',
    'an international name': 'https://例え.jp/',
    'userinfo that looks inner': 'https://localhost@example.com/',
    'a path that looks inner': 'https://example.com/127.0.0.1',
    IPv4: 'http://93.184.216.34/',
    'IPv4 as a number': 'http://1572395042/',
    'IPv4 next to 10/8': 'http://11.0.0.1/',
    'IPv4 before 172.16/12': 'http://172.15.255.255/',
    'IPv4 after 172.16/12': 'http://172.32.0.0/',
    'IPv4 next to CGNAT': 'http://100.128.0.1/',
    'IPv4 next to link-local': 'http://169.253.255.255/',
    IPv6: 'http://[2606:4700:4700::1111]/',
    'IPv6 over tls': 'tls://[2a00:1450::1]:443',
    'IPv4-mapped and public': 'http://[::ffff:8.8.8.8]/',
    'tcp on a name': 'tcp://mail.example.com:25',
  }
  test.each(Object.entries(outside))('%s is not internal, and a public address unless it is a name', (_, url) => {
    expect(isInternalHost(hostOf(url))).toBe(false)
    expect(isPublicAddress(hostOf(url))).toBe(isIP(hostOf(url)) !== 0)
  })

  test('an address is judged the same in each of its spellings', () => {
    fc.assert(
      fc.property(fc.ipV4Extended(), fc.ipV4(), fc.boolean(), (extended, plain, usePlain) => {
        const spelling = usePlain ? plain : extended
        const target = readTarget(`http://${spelling}/`)
        fc.pre(!('fault' in target))
        const { hostname } = new URL(`http://${spelling}/`)
        const isInternal = isInternalHost(hostname)
        expect(isPublicAddress(hostname)).toBe(!isInternal)
        for (const url of [`http://${spelling}/`, `tcp://${spelling}:1`, `http://[::ffff:${hostname}]/`]) {
          expect([isInternalHost(hostOf(url)), isPublicAddress(hostOf(url))]).toEqual([isInternal, !isInternal])
        }
      }),
    )
  })
})

describe('a host that no url was read into', () => {
  const hosts: Record<string, [host: string, isInternal: boolean, isPublic: boolean]> = {
    'nothing at all': ['', true, false],
    'a name in capitals': ['PRINTER.LOCAL', true, false],
    'a name with a dot': ['localhost.', true, false],
    'one label with a dot': ['intranet.', true, false],
    'an address with a dot': ['127.0.0.1.', true, false],
    'an address in brackets': ['[::ffff:10.0.0.1]', true, false],
    'an address with a zone': ['fe80::1%eth0', true, false],
    'an address with a zone that is no word': ['fe80::1%eth0.5', true, false],
    'an address with a zone, in brackets': ['[fe80::1%eth0.5]', true, false],
    'loopback in two parts': ['127.1', true, false],
    'loopback as one number': ['2130706433', true, false],
    'a public address': ['8.8.8.8', false, true],
    'a public address in brackets': ['[2606:4700:4700::1111]', false, false],
    'five numbers': ['8.8.8.8.8', false, false],
  }
  test.each(Object.entries(hosts))('%s', (_, [host, isInternal, isPublic]) => {
    expect([isInternalHost(host), isPublicAddress(host)]).toEqual([isInternal, isPublic])
  })
})

describe('a target of any scheme', () => {
  const socket = { scheme: 'a', host: 'shop.example', port: 1, shown: 'shop.example:1' }
  const portless = { scheme: 'b', host: 'shop.example', shown: 'shop.example/a' }
  const hostless = { scheme: 'c', shown: 'job' }

  test.each([
    ['another path', portless, { ...portless, shown: 'shop.example/b' }, true],
    ['another port', socket, { ...socket, port: 2 }, false],
    ['another host', portless, { ...portless, host: 'www.shop.example' }, false],
    ['another scheme', socket, { ...socket, scheme: 'b' }, false],
    ['nothing else, without a host', hostless, { ...hostless }, true],
    ['another name, without a host', hostless, { ...hostless, shown: 'task' }, false],
  ])('with %s', (_, one, other, isSame) => expect(isSameServer(one, other)).toBe(isSame))

  test('is internal by its host, and in any case without one', () => {
    expect([socket, portless, hostless].map((target) => isInternalTarget(target))).toEqual([false, false, true])
    expect(isInternalTarget({ ...portless, host: 'localhost' })).toBe(true)
  })
})

function hostOf(url: string): string {
  const target = readTarget(url)
  if (!('host' in target)) throw new Error(`${url} has no host`)
  return target.host
}

test.each([
  ['dns://1.1.1.1/example.com', false],
  ['dns://10.0.0.1/example.com', true],
  ['dns:///example.com', true],
  ['udp://example.com:9?expect=x', false],
  ['udp://example.com:9?send=x', true],
  ['icmp://example.com', false],
  ['icmp://[fd00::1]?count=1', true],
])('whether only own monitors may run %s: %s', (url, isInternal) => {
  const target = readTarget(url)
  if ('fault' in target) throw new Error(target.fault)
  expect(isInternalTarget(target)).toBe(isInternal)
})
