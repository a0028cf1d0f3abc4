// Defines the inputs of the tools: closed objects, with limits for every text and list.

import { OPERATOR_NAMES, SUBJECT_NAMES } from '@dogwatch/check-rules/assertions'
import { CHECK_FIELDS, FIELD_NAMES, type FieldRow } from '@dogwatch/check-rules/fields'

/** The part of JSON Schema that is used here. */
export type Json = Readonly<Record<string, unknown>>

const MOST_NAME = 68
const MOST_URL = 2048
const MOST_HEADERS = 10
const MOST_HEADER = 8192
const MOST_TAGS = 20
const MOST_TAG = 50
const MOST_RULES = 20
const MOST_MONITORS = 100
export const MOST_LISTED = 50

export const REFERENCE: Json = {
  type: 'string',
  minLength: 1,
  maxLength: MOST_NAME,
  description: 'the guid, or key: followed by the key, such as key:shop',
}

export const MONITOR: Json = { type: 'string', minLength: 1, maxLength: 64, description: 'the id of a monitor' }

export const TIME: Json = { type: 'string', maxLength: 40, format: 'date-time' }

export const AFTER: Json = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'where the page before ended, as it said',
}

export const TAG: Json = { type: 'string', minLength: 1, maxLength: MOST_TAG }

export const LIMIT: Json = {
  type: 'integer',
  minimum: 1,
  maximum: MOST_LISTED,
  description: 'maximum number of items; 20 by default',
}

export function closed(properties: Readonly<Record<string, Json>>, required: readonly string[] = []): Json {
  return { type: 'object', additionalProperties: false, properties, required }
}

/** A rule on one part of a response. */
const ASSERTION: Json = closed(
  {
    on: { type: 'string', enum: SUBJECT_NAMES },
    at: {
      type: 'string',
      maxLength: 500,
      description: 'JSON path, header name, phase or property, for parts that have one',
    },
    is: { type: 'string', enum: OPERATOR_NAMES },
    value: { description: 'a string, a number, true, false or null; omit it for exists and absent' },
  },
  ['on', 'is'],
)

/** The content of a check, from the rows of its fields: the same as in the file, the API and the form. */
export const CHECK: Json = closed(
  {
    key: {
      type: 'string',
      pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
      maxLength: 64,
      description: 'a key that you choose: a check with this key is replaced, otherwise one is created',
    },
    ...Object.fromEntries(
      FIELD_NAMES.map((name) => [name, { ...schemaOf(CHECK_FIELDS[name]), description: descriptionOf(name) }]),
    ),
    monitors: {
      type: 'array',
      maxItems: MOST_MONITORS,
      items: { type: 'string', maxLength: 64 },
      description: 'ids of the monitors that run the check',
    },
    all_monitors: { type: 'boolean', description: 'run the check on all monitors, including ones added later' },
  },
  ['key', 'name', 'url', 'interval_sec'],
)

function schemaOf(row: FieldRow): Json {
  switch (row.kind) {
    case 'url':
      return { type: 'string', maxLength: MOST_URL }
    case 'text':
      return { type: 'string', maxLength: row.max }
    case 'word':
      return { type: 'string', enum: row.words.map(([word]) => word) }
    case 'whole':
      return { type: 'integer', minimum: row.min, maximum: row.max }
    case 'yes-no':
      return { type: 'boolean' }
    case 'headers':
      return {
        type: 'object',
        maxProperties: MOST_HEADERS,
        additionalProperties: { type: 'string', maxLength: MOST_HEADER },
      }
    case 'tags':
      return { type: 'array', maxItems: MOST_TAGS, items: TAG }
    case 'statuses':
      return { type: 'array', maxItems: MOST_RULES, items: { type: 'string', maxLength: 7 } }
    case 'assertions':
      return { type: 'array', maxItems: MOST_RULES, items: ASSERTION }
  }
}

function descriptionOf(name: (typeof FIELD_NAMES)[number]): string {
  const row: FieldRow = CHECK_FIELDS[name]
  return [row.label, row.unit, row.hint].filter((part) => part !== undefined).join('. ')
}
