import { describe, expect, test } from '@jest/globals'
import { type Facts, settingFaults } from './requirements.ts'

const SUFFICIENT: Facts = {
  citus: '13.2-1',
  postgres: 15,
  wal_level: 'logical',
  max_prepared_transactions: 200,
  max_replication_slots: 20,
  max_wal_senders: 20,
  output_plugin_libraries: 'pgoutput, test_decoding, citus',
}

describe('settings of a server that tables can be distributed to', () => {
  test('those of the documentation suffice', () => {
    expect(settingFaults(SUFFICIENT)).toEqual([])
  })

  test.each<[string, Partial<Facts>, string[]]>([
    ['a log that cannot be decoded', { wal_level: 'replica' }, ['wal_level is replica, but must be logical']],
    [
      'no prepared transactions',
      { max_prepared_transactions: 0 },
      ['max_prepared_transactions is 0, but must be greater than 0'],
    ],
    ['too few slots', { max_replication_slots: 3 }, ['max_replication_slots is 3, but must be at least 4']],
    [
      'a list of libraries that lacks Citus',
      { output_plugin_libraries: 'pgoutput, test_decoding' },
      ['output_plugin_libraries is pgoutput, test_decoding, but must include citus'],
    ],
    [
      'one that has a library with a longer name',
      { output_plugin_libraries: 'citus_pgoutput' },
      ['output_plugin_libraries is citus_pgoutput, but must include citus'],
    ],
    ['a quoted name', { output_plugin_libraries: '"citus"' }, []],
    ['a Postgres that has no such list', { output_plugin_libraries: null }, []],
  ])('%s', (_, facts, want) => {
    expect(settingFaults({ ...SUFFICIENT, ...facts })).toEqual(want)
  })
})
