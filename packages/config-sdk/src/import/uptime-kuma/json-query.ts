// Converts the JSON queries of Uptime Kuma to assertions.
import { compareJson, compareLength, jsonPathOf, SIGNS } from '../assertions.ts'
import { type Fields, impossible, type Said, text, textOf } from '../audit.ts'
import { type MonitorDraft, type MonitorRule, onlyFor } from './draft.ts'

/** Names that JSONata reads without backticks. */
const NAME = /^[A-Za-z_]\w*$/

/** Rule for the three columns of a query, which report the same. The first one that has a value adds the assertion. */
const query: MonitorRule = text((_value, { draft, source }) => {
  draft.query ??= assertionOf(draft, source)
  return draft.query
})

function assertionOf({ check }: MonitorDraft, source: Fields): Said {
  const [path, sign] = [textOf(source.json_path).trim(), textOf(source.json_path_operator) || '==']
  const [, counted] = /^\$count\((.*)\)$/.exec(path) ?? []
  const at = jsonPathOf(counted ?? path, (name) => NAME.test(name))
  if (at === undefined)
    return impossible('only paths of names and indexes become assertions, not other JSONata expressions')
  const is = SIGNS.get(sign)
  const expected = textOf(source.expected_value)
  if (counted !== undefined && is !== undefined) return compareLength(check, at, is, expected)
  if (counted === undefined && (is !== undefined || sign === 'contains'))
    return compareJson(check, at, is ?? 'contains', expected)
  return impossible(`the operator ${sign.slice(0, 20)} is not supported`)
}

export const JSON_QUERY = {
  json_path: onlyFor(['json-query'], query),
  json_path_operator: onlyFor(['json-query'], query),
  expected_value: onlyFor(['json-query'], query),
} satisfies Readonly<Record<string, MonitorRule>>
