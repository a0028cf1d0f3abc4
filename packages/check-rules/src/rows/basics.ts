// Defines the fields that say what is checked, where and how often.
import { TARGETS } from '../words.ts'
import type { FieldRow } from './row.ts'

const A_DAY = 86_400

/** Rows of the target, the schedule and the monitors. */
export const BASIC_ROWS = {
  name: {
    kind: 'text',
    max: 200,
    isRequired: true,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: true,
    label: 'Name',
    part: 'top',
  },
  url: {
    kind: 'url',
    isRequired: true,
    isDefinition: true,
    isSynced: true,
    isAlwaysSent: true,
    changesResults: true,
    label: 'Target',
    hint: `${TARGETS}.`,
    part: 'top',
  },
  enabled: {
    kind: 'yes-no',
    default: true,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: true,
    label: 'Enabled',
    hint: 'Turn off to pause the check. A paused check does not run or send alerts.',
    part: 'top',
  },
  tags: {
    kind: 'tags',
    isDefinition: false,
    label: 'Tags',
    hint: 'Separate tags with commas. Use tags to filter checks and route alerts. Tags are not case-sensitive.',
    part: 'top',
  },
  restricted: {
    kind: 'yes-no',
    isDefinition: false,
    isAlwaysSent: true,
    ofRuns: true,
    label: 'Own monitors only',
    hint: 'Prevents shared monitors from running this check. Always on for internal addresses and private definitions.',
    part: 'monitors',
  },
  interval_sec: {
    kind: 'whole',
    min: 1,
    max: 31 * A_DAY,
    isRequired: true,
    isDefinition: false,
    isSynced: true,
    isAlwaysSent: true,
    ofRuns: true,
    label: 'Interval',
    unit: 'seconds',
    part: 'top',
  },
  timeout_sec: {
    kind: 'whole',
    min: 0,
    max: 60,
    isDefinition: false,
    isSynced: true,
    changesResults: true,
    ofRuns: true,
    label: 'Timeout',
    unit: 'seconds',
    part: 'rules',
  },
} as const satisfies Readonly<Record<string, FieldRow>>
