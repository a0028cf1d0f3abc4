// The laws of this package's house: a definition is judged by its target and its pattern, which know nothing of it.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { breachesOf, readSources } from '../../../scripts/testing/laws.ts'

test('imports go down, in no circle; no file and no function is too long', () => {
  const sources = readSources(fileURLToPath(new URL('.', import.meta.url)))
  expect(sources.length).toBeGreaterThan(2)
  expect(
    breachesOf(sources, {
      rooms: {
        abilities: ['fields', 'schemes'],
        'assertion-words': ['assertions'],
        assertions: ['json-path', 'pattern', 'schemes'],
        address: [],
        apps: ['address', 'field-groups', 'options'],
        composite: ['address', 'options', 'tags'],
        datagrams: ['address', 'options'],
        dns: ['address', 'options'],
        domain: ['address', 'options'],
        dialogues: ['address', 'field-groups', 'options', 'pattern'],
        options: ['address'],
        contradictions: ['fields', 'reason', 'schemes'],
        retries: ['contradictions'],
        definition: ['assertions', 'dialogues', 'fields', 'pattern', 'reason', 'schemes', 'statuses', 'tags', 'target'],
        'field-groups': [],
        fields: ['assertions', 'rows', 'schemes', 'tags'],
        'json-path': [],
        'log-text': [],
        rows: ['request', 'words'],
        request: ['address'],
        statuses: [],
        pattern: [],
        reason: ['fields'],
        schemes: [
          ...[
            'address',
            'apps',
            'composite',
            'datagrams',
            'dialogues',
            'dns',
            'domain',
            'field-groups',
            'options',
            'tls',
          ],
        ],
        secrets: ['address', 'dialogues', 'fields', 'request', 'schemes', 'target'],
        tags: [],
        tls: ['address', 'options'],
        'target-options': ['address', 'options', 'schemes'],
        target: ['address', 'schemes', 'words'],
        turns: [],
        words: ['schemes'],
      },
    }),
  ).toEqual([])
})
