// Settings: where they come from, and what is said of those that cannot be right.
import { expect, test } from '@jest/globals'
import { FLAGS, readConfig, variableOf } from '../../src/process/config.ts'

const flags = {
  server: 'http://127.0.0.1:8080/',
  'state-dir': '/tmp/s',
  name: 'n',
  region: 'eu',
  country: 'DE',
  city: 'Kiel',
}

test('flags are enough, and the rest has defaults', () => {
  expect(readConfig(flags, {})).toMatchObject({
    ...flags,
    server: 'http://127.0.0.1:8080',
    'public-targets-only': false,
    connectivity: true,
    'log-level': 'info',
    references: expect.arrayContaining([{ host: '1.1.1.1', port: 443 }]),
  })
  expect(readConfig(flags, {})).not.toHaveProperty('metrics-port')
})

test('every flag has a variable, and a flag wins over it', () => {
  const env = Object.fromEntries(Object.entries(flags).map(([name, value]) => [variableOf(name), value]))
  expect(FLAGS.map(({ name }) => variableOf(name))).toContain('DOGWATCH_AGENT_STATE_DIR')
  const config = readConfig({ city: 'Bonn' }, { ...env, DOGWATCH_AGENT_PUBLIC_TARGETS_ONLY: 'true' })
  expect(config).toMatchObject({ region: 'eu', city: 'Bonn', 'public-targets-only': true })
})

test('the format of the log has a variable that the server has as well', () => {
  const formatOf = (given: object, env: object) => readConfig({ ...flags, ...given }, { ...env })['log-format']
  expect(formatOf({}, {})).toBeUndefined()
  expect(formatOf({}, { LOG_FORMAT: 'json' })).toBe('json')
  expect(formatOf({}, { LOG_FORMAT: 'json', DOGWATCH_AGENT_LOG_FORMAT: 'text' })).toBe('text')
  expect(() => formatOf({ 'log-format': 'xml' }, {})).toThrow(
    '--log-format (DOGWATCH_AGENT_LOG_FORMAT) must be one of json, text',
  )
})

test('every fault is told at once', () => {
  const wrong = { server: 'ftp://x', city: ' ', 'metrics-port': 'x', connectivity: 'maybe', references: 'one' }
  const faults = () => readConfig(wrong, {})
  expect(faults).toThrow(
    [
      'invalid settings:',
      '  --server (DOGWATCH_AGENT_SERVER) must be an http or https URL without user, password, query or fragment',
      '  --state-dir (DOGWATCH_AGENT_STATE_DIR) is missing',
      '  --region (DOGWATCH_AGENT_REGION) is missing',
      '  --country (DOGWATCH_AGENT_COUNTRY) is missing',
      '  --city (DOGWATCH_AGENT_CITY) must not be blank',
      '  --connectivity (DOGWATCH_AGENT_CONNECTIVITY) must be on or off',
      '  --references (DOGWATCH_AGENT_REFERENCES) must be a comma-separated list of host:port',
      '  --metrics-port (DOGWATCH_AGENT_METRICS_PORT) must be a port',
    ].join('\n'),
  )
  expect(faults).toThrow(expect.objectContaining({ exitCode: 2 }))
})
