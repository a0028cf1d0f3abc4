import { describe, expect, test } from '@jest/globals'
import { failureWords } from './failure-words.ts'

describe('why a run failed is said once, in words', () => {
  test.each([
    ['status: the status is 503', 'HTTP status 503'],
    ['status: 500', 'HTTP status 500'],
    ['status: 503 is not eq 200', 'HTTP status 503, expected 200'],
    ['status: 200 is not gte 400', 'HTTP status 200, expected at least 400'],
    ['status: t', 'HTTP status: t'],
    ['timeout: while connecting', 'Timeout while connecting'],
    ['timeout: no answer within 10 s', 'Timeout: no answer within 10 s'],
    ['refused: the connection was refused', 'The connection was refused'],
    ['tls: the certificate has expired', 'The certificate has expired'],
    ['tls: the handshake failed', 'TLS: the handshake failed'],
    ['tls: the target does not speak TLS', 'The target does not speak TLS'],
    ['dns: the host name does not exist', 'DNS: the host name does not exist'],
    ['dns: the name does not exist', 'DNS: the name does not exist'],
    ['cert_expiry: the certificate has 8.9 days left', 'The certificate has 8.9 days left'],
    ['assertion: rule 2: size is 12, expected lt 10', 'Assertion 2: size is 12, expected below 10'],
    ['assertion: rule 1: json $.a is missing, expected exists', 'Assertion 1: json $.a is missing, expected exists'],
    ['assertion', 'An assertion failed'],
    ['assertion: rule 2', 'Assertion 2 failed'],
    ['match: the body does not contain the expected text', 'The body does not contain the expected text'],
    [
      'match: the banner contains the text that it must not contain',
      'The banner contains the text that it must not contain',
    ],
    [
      'match: not found in the first 1 MiB of the body; the rest is not read',
      'Content: not found in the first 1 MiB of the body; the rest is not read',
    ],
    ['match: the body does not hold the match', 'The body does not contain the expected text'],
    ['match: the banner holds what it must not', 'The banner contains the text that it must not contain'],
    [
      'match: not found in the first 1 MiB of the body, which is all that is read',
      'Content: not found in the first 1 MiB of the body; the rest is not read',
    ],
    ['inverted: the target is healthy, and the check is inverted', 'The target is healthy, and the check is inverted'],
    ['inverted: the target is healthy', 'Inverted: the target is healthy'],
    ['reset: the connection was lost', 'The connection was lost'],
    ['tls: the target closed the TLS session', 'The target closed the TLS session'],
    ['unreachable: no route to the host', 'No route to the host'],
    ['slow: 812 ms is more than 500 ms', 'Slow response: 812 ms is more than 500 ms'],
    ['redirect: more than 10 redirects', 'More than 10 redirects'],
    ['protocol: the reply is too long', 'Protocol: the reply is too long'],
    ['status', 'Unexpected HTTP status'],
    ['cert_expiry', 'The certificate expires too soon'],
    ['ECONNRESET: 10.0.0.1:443', 'ECONNRESET: 10.0.0.1:443'],
    ['constructor: a word of JavaScript', 'constructor: a word of JavaScript'],
    ['', ''],
  ])('%s: %s', (error, words) => {
    expect(failureWords(error)).toBe(words)
  })
})
