// What a statement must not do when results are distributed over several nodes: docs/reference/nodes.md has the rules in words.
import { DISTRIBUTED } from '../../src/results/tables.ts'

/** A node of a parsed statement, as the parser of Postgres writes it. */
interface Node {
  [field: string]: unknown
}

const MODIFIES = ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt']

/** How a source says that a statement is sent for each organisation by itself: then its organisation is a constant. */
const EACH = /\bk\.org_id \/\* one by one \*\//g
/** Until when hours are sealed: where results are distributed, statements get it as a constant. */
const SEALED_UNTIL = /\(select sealed_until from seal_progress \/\* elsewhere a constant \*\/\)/g
/** That it goes to every node, and reads one table and nothing else. */
const EVERYWHERE = '/* on every node */'
/** That it is not sent at all where results are distributed. */
const ONE_NODE = '/* one node */'

/** Whether a table is distributed; the partitions of results are, too. */
export function isDistributedTable(name: string): boolean {
  return (
    (DISTRIBUTED as readonly string[]).includes(name) ||
    /^(results_(default|\d{4}_\d{2}(_\d{2}.*)?)|sealed_hours_.*)$/.test(name)
  )
}

/** A quick look whether a text may name such a table at all. */
export function mayNameDistributed(text: string): boolean {
  return /\b(?:results|rollups|rollup_marks|rollups_daily|shifted_results|results_default|results_\d{4}_\d{2}|reopened_results|sealed_hours)\b/.test(
    text,
  )
}

/** What a statement does that cannot be done; empty for one that can run. `parse`: the parser of Postgres. */
export function findBreaches(text: string, parse: (text: string) => unknown): string[] {
  if (text.includes(ONE_NODE)) return []
  const { stmts = [] } = parse(text.replace(EACH, '$1').replace(SEALED_UNTIL, '$1')) as { stmts?: { stmt: Node }[] }
  return stmts.flatMap(({ stmt }) => judgeStatement(stmt, text.includes(EVERYWHERE)))
}

function judgeStatement(stmt: Node, isEverywhere: boolean): string[] {
  const [kind = '', body] = Object.entries(stmt)[0] ?? []
  if (kind !== 'SelectStmt' && !MODIFIES.includes(kind)) return []
  const names = new Set(findAll(stmt, 'CommonTableExpr').map((one) => String(one.ctename)))
  const shadowed = [...names].filter(isDistributedTable).map((name) => `a part of it is named ${name} like the table`)
  const units = unitsOf(stmt)
  const judged = units.map((unit) => judgeUnit(unit, names, isEverywhere))
  const reads = judged.flatMap(({ distributed }) => distributed)
  if (reads.length === 0) return []
  const changed = MODIFIES.flatMap((one) => findAll(stmt, one)).map((one) => nameOf(one.relation as Node))
  const changes = changed
    .filter((name) => !isDistributedTable(name) && !(isEverywhere && name.startsWith('results_')))
    .map((name) => `changes ${name}, which is on the coordinator, by what it reads of ${unique(reads).join()}`)
  const bare = findAll({ [kind]: body }, 'SelectStmt').some(
    (select) => select.op === 'SETOP_NONE' && !select.targetList && !select.valuesLists,
  )
  return unique([
    ...shadowed,
    ...changes,
    ...(bare ? ['selects no column: say "select 1"'] : []),
    ...judged.flatMap(({ breaches }) => breaches),
  ])
}

/** The statement without those parts that are run by themselves before it, and each of these parts. */
function unitsOf(root: Node): Node[] {
  const parts = findAll(root, 'CommonTableExpr').filter(isRunBefore)
  return [root, ...parts.map((part) => part.ctequery as Node)]
}

function isRunBefore({ ctematerialized, ctequery }: Node): boolean {
  const [kind = '', body] = Object.entries(ctequery as Node)[0] ?? []
  return ctematerialized === 'CTEMaterializeAlways' || MODIFIES.includes(kind) || Boolean((body as Node).lockingClause)
}

function judgeUnit(unit: Node, names: ReadonlySet<string>, isEverywhere: boolean) {
  const own = (kind: string) => findAll(unit, kind, (part) => isRunBefore(part))
  const tables = own('RangeVar').concat(MODIFIES.flatMap((kind) => own(kind).map((one) => one.relation as Node)))
  const called = tables.map(nameOf)
  const distributed = unique(called.filter(isDistributedTable))
  const local = unique(called.filter((name) => !isDistributedTable(name) && !names.has(name)))
  if (distributed.length === 0) return { distributed, breaches: [] }
  const breaches: string[] = []
  if (local.length > 0) breaches.push(`joins ${distributed.join()} with ${local.join()}, which are on the coordinator`)
  const blocks = [...own('SelectStmt'), ...MODIFIES.flatMap((kind) => own(kind))]
  const isLocking = blocks.some((block) => Boolean(block.lockingClause))
  if (isEverywhere) {
    if (isLocking) breaches.push(`locks rows of ${distributed.join()} on several nodes`)
    const read = own('RangeVar').map(nameOf).filter(isDistributedTable)
    if (read.length > 1) breaches.push(`goes to every node and reads more than one table: ${read.join()}`)
  } else {
    for (const block of blocks) breaches.push(...judgeBlock(block))
  }
  for (const kind of MODIFIES) for (const one of own(kind)) breaches.push(...judgeChange(one))
  const volatile = own('FuncCall')
    .map(functionOf)
    .filter((name) => VOLATILE.has(name))
  for (const name of volatile) breaches.push(`calls ${name}(), which may answer differently on each node`)
  return { distributed, breaches }
}

const VOLATILE = new Set([
  'clock_timestamp',
  'timeofday',
  'random',
  'gen_random_uuid',
  'uuidv4',
  'uuidv7',
  'nextval',
  'setval',
  'sync_tick',
  'txid_current',
])

/** Each table of a query must be held to one organisation in that query itself. */
function judgeBlock(block: Node): string[] {
  const from = [...list(block.fromClause), ...list(block.usingClause)]
  const relation = block.relation as Node | undefined
  const isInsert = block.cols !== undefined || block.selectStmt !== undefined
  const tables = [...from.flatMap(tablesIn), ...(relation && !isInsert ? [relation] : [])]
  const spread = tables.filter((table) => isDistributedTable(nameOf(table)))
  const breaches = isInsert && relation && isDistributedTable(nameOf(relation)) ? judgeInserted(block, relation) : []
  if (spread.length === 0) return breaches
  const conditions = [block.whereClause as Node | undefined, ...from.flatMap(conditionsIn)].flatMap(conjunctsOf)
  const held = heldToOne(conditions, spread.map(aliasOf))
  for (const table of spread) {
    if (held.has(aliasOf(table))) continue
    const locks = block.lockingClause ? 'locks rows on several nodes: it ' : ''
    breaches.push(`${locks}does not say "org_id = one organisation" for ${nameOf(table)} where it reads it`)
  }
  return breaches
}

/** The tables for which conditions fix the organisation, directly or by another of them. */
function heldToOne(conditions: readonly Node[], aliases: readonly string[]): Set<string> {
  const equal = conditions.flatMap((condition): [string, string][] => {
    const one = condition.A_Expr as Node | undefined
    if (one?.kind !== 'AEXPR_OP' || textOf(list(one.name)[0]) !== '=') return []
    const [left, right] = [sideOf(one.lexpr as Node, aliases), sideOf(one.rexpr as Node, aliases)]
    return left && right ? [[left, right]] : []
  })
  const held = new Set([CONSTANT])
  for (let before = 0; before !== held.size; ) {
    before = held.size
    for (const [a, b] of equal) {
      if (held.has(a)) held.add(b)
      if (held.has(b)) held.add(a)
    }
  }
  return held
}

const CONSTANT = '(constant)'

function sideOf(node: Node, aliases: readonly string[]): string | undefined {
  if (isConstant(node)) return CONSTANT
  const fields = list((node.ColumnRef as Node | undefined)?.fields).map(textOf)
  if (fields.at(-1) !== 'org_id') return undefined
  return fields.length === 2 ? fields[0] : aliases.length === 1 ? aliases[0] : undefined
}

function isConstant(node: Node | undefined): boolean {
  if (!node) return false
  if (node.TypeCast) return isConstant((node.TypeCast as Node).arg as Node)
  return node.ParamRef !== undefined || node.A_Const !== undefined
}

/** What is inserted says its organisation as a constant, or has it from a distributed table that is held to one. */
function judgeInserted(block: Node, relation: Node): string[] {
  const place = list(block.cols).findIndex((column) => (column.ResTarget as Node).name === 'org_id')
  const select = (block.selectStmt as Node).SelectStmt as Node
  const values = select.valuesLists
    ? list(select.valuesLists).map((row) => list((row.List as Node).items)[place])
    : [(list(select.targetList)[place]?.ResTarget as Node | undefined)?.val as Node | undefined]
  const reads = findAll(select, 'RangeVar').map(nameOf)
  const isKept = (value: Node | undefined) =>
    isConstant(value) ||
    (reads.some(isDistributedTable) && textOf(list((value?.ColumnRef as Node | undefined)?.fields).at(-1)) === 'org_id')
  return values.every(isKept) ? [] : [`inserts rows of several organisations into ${nameOf(relation)}`]
}

/** New values and what is returned are the same whichever node computes them. */
function judgeChange(change: Node): string[] {
  const relation = change.relation as Node
  const name = nameOf(relation)
  if (!isDistributedTable(name)) return []
  const sets = [
    ...(change.cols ? [] : list(change.targetList)),
    ...list((change.onConflictClause as Node | undefined)?.targetList),
  ]
  const returned = list(change.returningList ?? (change.returningClause as Node | undefined)?.exprs)
  return [
    ...sets.flatMap(unsettled).map((what) => `sets ${name} by ${what}, which is not immutable`),
    ...returned.flatMap(unsettled).map((what) => `returns ${what} from ${name}, which is not immutable`),
  ]
}

const IMMUTABLE = new Set(['left', 'abs', 'floor', 'array_cat', 'array_append'])

function unsettled(node: Node): string[] {
  const functions = findAll(node, 'FuncCall')
    .map(functionOf)
    .filter((name) => !IMMUTABLE.has(name))
  const clock = findAll(node, 'SQLValueFunction').map((one) => String(one.op))
  const intervals = findAll(node, 'TypeName').concat(findAll(node, 'TypeCast').map((cast) => cast.typeName as Node))
  const hasInterval = intervals.some((type) => list(type.names).map(textOf).includes('interval'))
  return unique([...functions.map((name) => `${name}()`), ...clock, ...(hasInterval ? ['an interval'] : [])])
}

/** The tables of a `from`, not those of its subqueries. */
function tablesIn(item: Node): Node[] {
  if (item.RangeVar) return [item.RangeVar as Node]
  const join = item.JoinExpr as Node | undefined
  return join ? [...tablesIn(join.larg as Node), ...tablesIn(join.rarg as Node)] : []
}

function conditionsIn(item: Node): Node[] {
  const join = item.JoinExpr as Node | undefined
  if (!join) return []
  return [join.quals as Node, ...conditionsIn(join.larg as Node), ...conditionsIn(join.rarg as Node)].filter(Boolean)
}

function conjunctsOf(condition: Node | undefined): Node[] {
  if (!condition) return []
  const both = condition.BoolExpr as Node | undefined
  return both?.boolop === 'AND_EXPR' ? list(both.args).flatMap(conjunctsOf) : [condition]
}

/** All nodes of a kind, at any depth; `isPassed`: parts of a statement that are not looked into. */
function findAll(root: unknown, kind: string, isPassed: (part: Node) => boolean = () => false): Node[] {
  const found: Node[] = []
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, child] of Object.entries(value as Node)) {
      // The rows to lock are named as the query names its tables.
      if (name === 'lockedRels' || (name === 'CommonTableExpr' && isPassed(child as Node))) continue
      if (name === kind) found.push(child as Node)
      // The two halves of a union stand there without the name of their kind.
      else if (kind === 'SelectStmt' && (name === 'larg' || name === 'rarg') && (child as Node).op)
        found.push(child as Node)
      walk(child)
    }
  }
  walk(root)
  return found
}

const list = (value: unknown): Node[] => (Array.isArray(value) ? (value as Node[]) : [])
const textOf = (node: Node | undefined): string =>
  ((node?.String as Node | undefined)?.sval as string | undefined) ?? ''
const nameOf = (table: Node): string => String(table.relname)
const aliasOf = (table: Node): string => String((table.alias as Node | undefined)?.aliasname ?? table.relname)
const functionOf = (call: Node): string => textOf(list(call.funcname).at(-1))
const unique = (words: readonly string[]): string[] => [...new Set(words)]
