// What the minimal agent can be told to do wrong: for each fault the cases that show it, and a word of what they say.

export const FAULTS = {
  'enrolls-again': { 'enroll-once': 'the agent ended' },
  'ends-with-0': {
    'enroll-refused': 'a status other than 0',
    'reclaim-unknown': 'a status other than 0',
    'reclaim-enrolled': 'a status other than 0',
  },
  'reclaims-as-new': { reclaim: 'the id of before' },
  'keeps-cursor': { 'sync-full': 'no since' },
  'runs-disabled': { 'sync-not-run': 'no run of the check off', 'sync-disabled': 'after it was disabled' },
  'cursor-of-own-clock': { 'sync-cursor': 'since' },
  'replaces-with-delta': { 'sync-delta': 'runs of same' },
  'ignores-tombstones': { 'sync-tombstone': 'after its tombstone' },
  'ignores-retry-after': { 'sync-busy': 'after the 429', 'upload-busy': 'after the 429' },
  'ignores-rank': { 'rotation-slots': 'in the slots', 'rotation-change': 'in the slots' },
  'local-clock': { 'rotation-server-time': 'in the slots' },
  'sends-600': { 'upload-batches': '<=500 items' },
  'sends-4-mib': { 'upload-bytes': 'at most 1 MiB' },
  'new-ran-at': { 'upload-lost-reply': 'not seen again' },
  'gives-up-on-413': { 'upload-too-large': 'smaller uploads' },
  'gives-up-on-400': { 'upload-bad-record': 'but the one' },
  'gives-up-on-503': { 'upload-busy': 'each run to come to a result' },
  'keeps-in-memory': { 'upload-after-kill': 'each run to come to a result' },
  'drops-when-away': { 'server-away': 'each run to come to a result' },
  'runs-while-disabled': {
    'disabled-stops': 'while it is disabled',
    'disabled-resumes': 'while it is disabled',
    'key-refused': 'while its key is refused',
  },
  'always-up': { results: 'true 404' },
  'float-latency': { results: 'latency_ms' },
  'tells-all': { 'detail-none': 'neither error nor', 'detail-cap': 'the first 9 characters' },
  'tells-no-backlog': { status: 'unsent_results above 0' },
  'ignores-definitions': { 'private-run': 'runs of vault' },
  'tells-of-undefined': { 'private-undefined': 'results of a alone' },
  'leaks-host': { 'private-secrets': 'nothing of a definition' },
  pesters: { 'sync-not-run': '10 a second' },
} as const satisfies Record<string, Record<string, string>>

export type Fault = keyof typeof FAULTS
