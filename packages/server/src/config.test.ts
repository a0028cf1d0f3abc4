// Every setting: its default, what it takes, what it refuses; and all faults at once.

import { ANY_NUMBER, DEFAULT_BOUNDS } from '@dogwatch/domain/limits/bounds'
import { describe, expect, test } from '@jest/globals'
import express from 'express'
import { type Config, ConfigError, readConfig, SETTINGS } from './config.ts'

const read = (env: Record<string, string | undefined> = {}) => readConfig(env, '/srv/dogwatch/.dogwatch')

const DEFAULTS: Config = {
  port: 8080,
  host: '127.0.0.1',
  database_url: undefined,
  database_direct_url: undefined,
  database_replica_url: undefined,
  database_replica_lag_sec: 10,
  database_prepared: true,
  database_pool_size: 8,
  data_dir: '/srv/dogwatch/.dogwatch',
  is_public_url_set: false,
  public_url: 'http://127.0.0.1:8080',
  trust_proxy: [],
  address_rate_limit: { per_sec: 10, burst: 30 },
  address_connections: 500,
  alerts_of_channel: { per_hour: 360, burst: 300 },
  alerts_of_org: { per_hour: 3600, burst: 3000 },
  alerts_to_mailbox: { per_hour: 120, burst: 200 },
  alerts_of_org_by_ntfy: { per_hour: 60, burst: 120 },
  egress_allow: [],
  smtp_url: undefined,
  mail_from: undefined,
  smtp_cleartext_login: false,
  ntfy_url: 'https://ntfy.sh',
  cors_origins: [],
  log_level: 'info',
  log_format: undefined,
  metrics_port: undefined,
  metrics_host: '127.0.0.1',
  drain_sec: 0,
  sign_up: 'invited',
  default_plan: 'unlimited',
  local_monitor: true,
  oidc: undefined,
  agent_archives: undefined,
  bounds: DEFAULT_BOUNDS,
}

test('with nothing set, all have their defaults', () => expect(read()).toEqual(DEFAULTS))

test('an empty variable counts as unset', () => {
  expect(read(Object.fromEntries(SETTINGS.map((name) => [name, ''])))).toEqual(DEFAULTS)
  expect(read(Object.fromEntries(SETTINGS.map((name) => [name, undefined])))).toEqual(DEFAULTS)
})

test('other variables are none of ours', () => expect(read({ PATH: '/bin', DOGWATCH_X: 'y' })).toEqual(DEFAULTS))

test('what was read cannot be changed', () => {
  expect(() => Object.assign(read(), { port: 1 })).toThrow(TypeError)
})

describe('taken', () => {
  const cases: Record<string, [env: Record<string, string>, want: Partial<Config>]> = {
    'a port': [{ PORT: '3000' }, { port: 3000, public_url: 'http://127.0.0.1:3000' }],
    'any free port': [{ PORT: '0' }, { port: 0 }],
    'the last port': [{ PORT: '65535' }, { port: 65_535 }],
    'a host': [{ HOST: '0.0.0.0' }, { host: '0.0.0.0', public_url: 'http://0.0.0.0:8080' }],
    'an IPv6 host': [{ HOST: '::1' }, { host: '::1', public_url: 'http://[::1]:8080' }],
    'a host by name': [{ HOST: 'localhost' }, { host: 'localhost' }],
    'a database': [
      { DATABASE_URL: 'postgres://u:p@db.example:5432/dogwatch?sslmode=require' },
      { database_url: 'postgres://u:p@db.example:5432/dogwatch?sslmode=require' },
    ],
    'a database by its longer scheme': [
      { DATABASE_URL: 'postgresql://db/dogwatch' },
      { database_url: 'postgresql://db/dogwatch' },
    ],
    'a database behind a socket': [
      { DATABASE_URL: 'postgres:///dogwatch?host=/var/run/postgresql' },
      { database_url: 'postgres:///dogwatch?host=/var/run/postgresql' },
    ],
    'a way past the pooler': [
      { DATABASE_DIRECT_URL: 'postgres://db:5432/x', DATABASE_PREPARED: 'off' },
      { database_direct_url: 'postgres://db:5432/x', database_prepared: false },
    ],
    'a standby': [
      { DATABASE_REPLICA_URL: 'postgres://standby/x', DATABASE_REPLICA_LAG_SEC: '30' },
      { database_replica_url: 'postgres://standby/x', database_replica_lag_sec: 30 },
    ],
    'larger pools': [{ DATABASE_POOL_SIZE: '20' }, { database_pool_size: 20 }],
    metrics: [
      { METRICS_PORT: '9464', METRICS_HOST: '::' },
      { metrics_port: 9464, metrics_host: '::' },
    ],
    'who may sign up': [{ SIGN_UP: 'closed' }, { sign_up: 'closed' }],
    'the plan of new organisations': [{ DEFAULT_PLAN: 'team' }, { default_plan: 'team' }],
    'no monitor of its own': [{ LOCAL_MONITOR: 'off' }, { local_monitor: false }],
    'time to be taken out of service': [{ DRAIN_SEC: '15' }, { drain_sec: 15 }],
    'a data directory': [{ DOGWATCH_DATA_DIR: '/var/lib/dogwatch' }, { data_dir: '/var/lib/dogwatch' }],
    'a public url': [
      { PUBLIC_URL: 'https://status.example.com' },
      { is_public_url_set: true, public_url: 'https://status.example.com' },
    ],
    'a public url in capitals': [
      { PUBLIC_URL: 'HTTPS://example.com' },
      { is_public_url_set: true, public_url: 'HTTPS://example.com' },
    ],
    'a public url with a path': [
      { PUBLIC_URL: 'https://example.com/up' },
      { is_public_url_set: true, public_url: 'https://example.com/up' },
    ],
    'one proxy': [{ TRUST_PROXY: '10.0.0.1' }, { trust_proxy: ['10.0.0.1'] }],
    'proxies, with blanks and a comma too many': [
      { TRUST_PROXY: ' 10.0.0.0/8, ::1 ,2001:db8::/32,' },
      { trust_proxy: ['10.0.0.0/8', '::1', '2001:db8::/32'] },
    ],
    'proxies by name': [
      { TRUST_PROXY: 'loopback,linklocal,uniquelocal' },
      { trust_proxy: ['loopback', 'linklocal', 'uniquelocal'] },
    ],
    'a rate': [{ ADDRESS_RATE_LIMIT: '5/20' }, { address_rate_limit: { per_sec: 5, burst: 20 } }],
    'a slow rate': [{ ADDRESS_RATE_LIMIT: '0.5/1' }, { address_rate_limit: { per_sec: 0.5, burst: 1 } }],
    'no rate': [{ ADDRESS_RATE_LIMIT: 'off' }, { address_rate_limit: undefined }],
    'connections of an address': [{ ADDRESS_CONNECTIONS: '20' }, { address_connections: 20 }],
    'alerts of a channel': [{ ALERTS_OF_CHANNEL: '60/10' }, { alerts_of_channel: { per_hour: 60, burst: 10 } }],
    'any number of alerts': [{ ALERTS_TO_MAILBOX: 'off' }, { alerts_to_mailbox: undefined }],
    'any number of connections': [{ ADDRESS_CONNECTIONS: 'off' }, { address_connections: Infinity }],
    'bounds of tokens': [
      { API_TOKENS_PER_ORG: '5', API_TOKENS_PER_PERSON: '7' },
      { bounds: { ...DEFAULT_BOUNDS, tokens_per_org: 5, tokens_per_person: 7 } },
    ],
    'a bound of results': [{ RESULTS_BEYOND: '5000' }, { bounds: { ...DEFAULT_BOUNDS, results_beyond: 5000 } }],
    'any number of results': [{ RESULTS_BEYOND: 'off' }, { bounds: { ...DEFAULT_BOUNDS, results_beyond: Infinity } }],
    'bounds of monitors': [
      { MONITORS_PER_PLAN: 'free=5,custom=9' },
      { bounds: { ...DEFAULT_BOUNDS, monitors_per_plan: { ...DEFAULT_BOUNDS.monitors_per_plan, free: 5, custom: 9 } } },
    ],
    'any number of monitors': [
      { MONITORS_PER_PLAN: 'off' },
      { bounds: { ...DEFAULT_BOUNDS, monitors_per_plan: ANY_NUMBER } },
    ],
    'a range to reach': [{ EGRESS_ALLOW: '127.0.0.0/8,::1/128' }, { egress_allow: ['127.0.0.0/8', '::1/128'] }],
    'everything to reach': [{ EGRESS_ALLOW: '0.0.0.0/0,::/0' }, { egress_allow: ['0.0.0.0/0', '::/0'] }],
    'a mail server': [{ SMTP_URL: 'smtp://u:p@mail.example:587' }, { smtp_url: 'smtp://u:p@mail.example:587' }],
    'a mail server over TLS': [{ SMTP_URL: 'smtps://mail.example' }, { smtp_url: 'smtps://mail.example' }],
    'a login that may be read on its way': [
      { SMTP_URL: 'smtp://u:p@mail.example?ignoreTLS=true', SMTP_CLEARTEXT_LOGIN: 'on' },
      { smtp_cleartext_login: true },
    ],
    'no encryption where there is no login': [
      { SMTP_URL: 'smtp://mail.example?ignoreTLS=true' },
      { smtp_url: 'smtp://mail.example?ignoreTLS=true' },
    ],
    'origins, as browsers write them': [
      { CORS_ORIGINS: ' https://App.example.com , http://localhost:5173,https://x.example:443' },
      { cors_origins: ['https://app.example.com', 'http://localhost:5173', 'https://x.example'] },
    ],
    'every origin': [{ CORS_ORIGINS: '*' }, { cors_origins: ['*'] }],
    'a log for people': [{ LOG_FORMAT: 'text' }, { log_format: 'text' }],
    'a log for programs': [{ LOG_FORMAT: 'json' }, { log_format: 'json' }],
    'a sender': [{ MAIL_FROM: 'Dogwatch <dog@example.com>' }, { mail_from: 'Dogwatch <dog@example.com>' }],
    'an ntfy of one’s own': [{ NTFY_URL: 'http://ntfy.lan:8080' }, { ntfy_url: 'http://ntfy.lan:8080' }],
    ...Object.fromEntries(
      (['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const).map(
        (level): [string, [Record<string, string>, Partial<Config>]] => [
          `the level ${level}`,
          [{ LOG_LEVEL: level }, { log_level: level }],
        ],
      ),
    ),
  }
  test.each(Object.entries(cases))('%s', (_, [env, want]) => expect(read(env)).toMatchObject(want))
})

describe('refused', () => {
  const PORT = 'must be a port number from 0 to 65535'
  const RANGES = 'must be a comma-separated list of addresses or ranges, for example 10.0.0.0/8'
  const RATE = 'must be REQUESTS_PER_SECOND/BURST, for example 10/30, or off'
  const WEB = 'must be a URL that starts with http:// or https://'
  const cases: Record<string, [setting: string, values: string[], must: string]> = {
    'what is no port': ['PORT', ['http', '-1', '65536', '80.5', '8080 ', '0x50', '1e3', 'Infinity', ' '], PORT],
    'what is no host': [
      'HOST',
      ['a b', 'http://localhost', 'localhost:80', '[::1]', ' '],
      'must be an IP address or a host name',
    ],
    'what is no database': [
      'DATABASE_URL',
      ['mysql://db/x', 'db', 'postgres', 'postgres:db', '/var/run/postgresql', 'http://db/'],
      'must be a URL that starts with postgres:// or postgresql://',
    ],
    'what is no public url': ['PUBLIC_URL', ['example.com', 'ftp://example.com', 'https://', 'https:example.com'], WEB],
    'what is no proxy': [
      'TRUST_PROXY',
      ['proxy.example.com', '10.0.0.0/33', '10.0.0/8', '127.1', '0x7f.0.0.1', '10.0.0.0/', '1', '::1/129', 'true', '*'],
      RANGES,
    ],
    'trusting everybody': ['TRUST_PROXY', ['0.0.0.0/0', '::/0'], RANGES],
    'what is no switch': ['DATABASE_PREPARED', ['yes', 'true', '1', 'ON', ' '], 'must be on or off'],
    'what is no pool': [
      'DATABASE_POOL_SIZE',
      ['0', '1', '1001', '2.5', '-3', '1e2'],
      'must be a whole number from 2 to 1000',
    ],
    'what is no lag': ['DATABASE_REPLICA_LAG_SEC', ['0', '3601', '10s'], 'must be a whole number from 1 to 3600'],
    'what is no time': ['DRAIN_SEC', ['-1', '601', '1.5', 'soon'], 'must be a whole number from 0 to 600'],
    'what is no way to sign up': ['SIGN_UP', ['on', 'Open', 'invite'], 'must be one of open, invited, closed'],
    'what is no plan': [
      'DEFAULT_PLAN',
      ['custom', 'gold', 'none'],
      'must be one of free, solo, double, team, unlimited',
    ],
    'what is no switch of the monitor': ['LOCAL_MONITOR', ['yes', '0'], 'must be on or off'],
    'what is no rate': ['ADDRESS_RATE_LIMIT', ['10', '10/', '/30', '10/30/1', '-1/5', '1e3/5', 'OFF', '10/1.5'], RATE],
    'what is no count of connections': [
      'ADDRESS_CONNECTIONS',
      ['0', '10001', '-1', '1e2', 'OFF', 'many'],
      'must be a whole number from 1 to 10000, or off',
    ],
    'what is no budget of alerts': [
      'ALERTS_OF_ORG',
      ['10', '10/', '/30', '1.5/30', 'OFF', '-1/3'],
      'must be ALERTS_PER_HOUR/BURST, for example 360/300, or off',
    ],
    'a rate of nothing': ['ADDRESS_RATE_LIMIT', ['0/30', '10/0', '0.0/1'], 'must be greater than 0'],
    'what is no range to reach': ['EGRESS_ALLOW', ['loopback', 'localhost', '10.0.0.0/33', '127.1'], RANGES],
    'what is no mail server': [
      'SMTP_URL',
      ['mail.example', 'http://mail.example', 'smtp:mail.example'],
      'must be a URL that starts with smtp:// or smtps://',
    ],
    'a login without encryption': [
      'SMTP_URL',
      [
        'smtp://u:p@mail.example?ignoreTLS=true',
        'smtp://u@mail.example?opportunisticTLS=1',
        'smtp://u:p@mail.example:25/?pool=true&requireTLS=false',
      ],
      'must not contain a password while encryption is off, unless SMTP_CLEARTEXT_LOGIN is on',
    ],
    'what is no origin': [
      'CORS_ORIGINS',
      [
        'app.example.com',
        'https://a.example/',
        'https://a.example/x',
        'https://u@a.example',
        '*,https://a.example',
        'null',
        'https://*.example',
        'ftp://a.example',
      ],
      'must be a comma-separated list of origins, for example https://app.example.com, or a single *',
    ],
    'what is no ntfy': ['NTFY_URL', ['ntfy.sh', 'ws://ntfy.sh'], WEB],
    'what is no level': [
      'LOG_LEVEL',
      ['INFO', 'verbose', '30'],
      'must be one of fatal, error, warn, info, debug, trace, silent',
    ],
    'what is no format': ['LOG_FORMAT', ['TEXT', 'pretty'], 'must be one of json, text'],
  }
  test.each(Object.entries(cases))('%s', (_, [setting, values, must]) => {
    expect(values.map((value) => ({ value, faults: faultsOf({ [setting]: value }) }))).toEqual(
      values.map((value) => ({ value, faults: [`${setting} ${must}`] })),
    )
  })

  test('every fault at once, one line each', () => {
    const env = {
      PORT: 'x',
      DATABASE_URL: 'x',
      PUBLIC_URL: 'x',
      TRUST_PROXY: 'x',
      ADDRESS_RATE_LIMIT: 'x',
      EGRESS_ALLOW: 'x',
      SMTP_URL: 'x',
      NTFY_URL: 'x',
      LOG_LEVEL: 'x',
    }
    const faults = faultsOf(env)
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(Object.keys(env))
    expect(new ConfigError(faults).message.split('\n')).toEqual(faults)
  })

  test('no fault tells the value, which may be a secret', () => {
    const env = Object.fromEntries(SETTINGS.map((name) => [name, 'hunter2 hunter2']))
    expect(faultsOf(env).join('\n')).not.toContain('hunter2')
  })
})

test('whatever proxies are taken, Express takes them too', () => {
  for (const text of ['10.0.0.1', '10.0.0.0/8', '10.1.2.3/1', '::1', '::/1', '::ffff:10.0.0.0/104', 'loopback']) {
    const { trust_proxy } = read({ TRUST_PROXY: text })
    expect(() => express().set('trust proxy', [...trust_proxy])).not.toThrow()
  }
})

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    read(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}
