// Finds what a migration must not do while servers of the previous version keep working. docs/reference/migrations.md tells
// authors why, and what to write instead.

export interface Fault {
  statement: string
  advice: string
}

/** `destructive`: what the previous version may still use; only a named earlier migration that ended that use excuses it. */
interface Rule {
  finds: RegExp
  advice: string
  kind: 'never' | 'locks' | 'destructive'
}

const CONCURRENTLY_ALONE = 'what is made concurrently is the only statement of its file'

/** Of whole statements: lower case, one space between words. */
const STATEMENTS: readonly Rule[] = [
  { finds: /^(begin|start|commit|rollback|savepoint)\b/, advice: 'the migrator owns the transaction', kind: 'never' },
  { finds: /^set\b.*lock_timeout/, advice: 'the migrator bounds the wait for locks', kind: 'never' },
  {
    finds: /^create (unique )?index (?!concurrently)/,
    advice: 'holds up all who write: create index concurrently, in a file of its own',
    kind: 'locks',
  },
  { finds: /^(drop index|reindex) (?!concurrently)/, advice: 'holds up all: do it concurrently', kind: 'locks' },
  { finds: /^(truncate|lock|vacuum full|cluster)\b/, advice: 'holds up all', kind: 'locks' },
  {
    finds: /^(update|delete)\b|^insert into .* select\b/,
    advice: 'holds rows until the file is done: fill in batches by a chore',
    kind: 'locks',
  },
  {
    finds: /^drop (table|view|function|trigger|type|sequence|schema|domain)\b/,
    advice: 'the previous version may use it',
    kind: 'destructive',
  },
]

/** Of the parts of an `alter table`. */
const ACTIONS: readonly Rule[] = [
  { finds: /^drop column\b/, advice: 'the previous version may read it', kind: 'destructive' },
  {
    finds: /^rename\b/,
    advice: 'the previous version knows the old name: add, copy, and drop later',
    kind: 'destructive',
  },
  { finds: /^alter (column )?\S+ (set data )?type\b/, advice: 'rewrites the table: add another column', kind: 'locks' },
  {
    finds: /^alter (column )?\S+ set not null\b/,
    advice:
      'reads the whole table, and the previous version may store nulls: add a check that is not valid, then validate it',
    kind: 'destructive',
  },
  { finds: /^alter (column )?\S+ drop default\b/, advice: 'the previous version may rely on it', kind: 'destructive' },
  {
    finds: /^add (constraint|check|foreign key|unique|primary key)\b(?!.*(not valid|using index))/,
    advice: 'reads the whole table under a lock: add it not valid, and validate it in a later file',
    kind: 'locks',
  },
  {
    finds: /^add (column )?(?!constraint|check|foreign|unique|primary)(?=.* not null)(?!.* default )/,
    advice: 'the previous version stores rows without it: give it a default',
    kind: 'never',
  },
  {
    finds: /^add (column )?(?!constraint|check|foreign|unique|primary).*\b(check|unique|primary key|references)\b/,
    advice: 'reads the whole table under a lock: add the column first, and its constraint not valid',
    kind: 'locks',
  },
  {
    finds: /^add (column )?.*\b(generated|default (?!now\b|current_)[a-z_.]+\()/,
    advice: 'writes every row under a lock: add it without, and fill it in batches',
    kind: 'locks',
  },
  { finds: /^(attach|detach) partition (?!.*concurrently)/, advice: 'holds up all', kind: 'locks' },
  { finds: /^set (logged|unlogged|tablespace)\b/, advice: 'rewrites the table', kind: 'locks' },
]

/** What is wrong with a migration. `earlier`: the names of those before it, one of which a contraction has to name. */
export function findFaults(sql: string, earlier: readonly string[]): Fault[] {
  const statements = splitStatements(sql)
  // Nobody else knows what this file makes.
  const made = new Set(statements.flatMap(({ text }) => /^create (?:unlogged )?table (\S+)/.exec(text)?.[1] ?? []))
  const faults = statements.flatMap((statement) => (made.has(tableOf(statement.text)) ? [] : judge(statement, earlier)))
  const concurrent = statements.find(({ text }) => /\bconcurrently\b/.test(text))
  if (!concurrent || statements.length === 1) return faults
  return [...faults, { statement: concurrent.text, advice: CONCURRENTLY_ALONE }]
}

interface Statement {
  text: string
  /** The comment right above it. */
  comment: string
}

function judge({ text, comment }: Statement, earlier: readonly string[]): Fault[] {
  const actions = /^alter table (?:if exists )?(?:only )?\S+ (.*)$/.exec(text)?.[1]
  const broken = [
    ...STATEMENTS.filter(({ finds }) => finds.test(text)),
    ...(actions === undefined ? [] : splitActions(actions)).flatMap((action) =>
      ACTIONS.filter(({ finds }) => finds.test(action)),
    ),
  ]
  return broken
    .filter(({ kind }) => !isExcused(kind, comment, earlier))
    .map(({ advice }) => ({ statement: text, advice }))
}

/** `-- safe: REASON`, or `-- contract: 0017_name REASON`. */
function isExcused(kind: Rule['kind'], comment: string, earlier: readonly string[]): boolean {
  if (kind === 'locks') return /(^|\n)safe: \S+ \S+/.test(comment)
  const named = /(^|\n)contract: (\w+) \S+/.exec(comment)?.[2]
  return kind === 'destructive' && named !== undefined && earlier.includes(named)
}

function tableOf(text: string): string {
  const found =
    /^alter table (?:if exists )?(?:only )?(\S+)/.exec(text) ??
    /^create (?:unique )?index .*? on (?:only )?(\w+)/.exec(text) ??
    /^(?:update|delete from|insert into|truncate(?: table)?|lock(?: table)?) (?:only )?(\w+)/.exec(text)
  return found?.[1] ?? ''
}

/** At the commas that are in no brackets. */
function splitActions(actions: string): string[] {
  const parts = ['']
  let depth = 0
  for (const char of actions) {
    if (char === '(') depth++
    if (char === ')') depth--
    if (char === ',' && depth === 0) parts.push('')
    else parts.push(`${parts.pop() ?? ''}${char}`)
  }
  return parts.map((part) => part.trim())
}

const TOKEN = /--[^\n]*|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1|;|[^-'$;]+|[-$]/g

/** At the semicolons that are in no string, comment or body. What strings and bodies say is left out. */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = []
  let text = ''
  let comment = ''
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token.startsWith('--')) {
      if (text.trim() === '') comment += `${token.slice(2).trim()}\n`
    } else if (token === ';') {
      if (text.trim() !== '') statements.push({ text: normal(text), comment })
      text = comment = ''
    } else {
      // A blank line parts a comment from what follows it.
      if (text.trim() === '' && /\n\s*\n/.test(token)) comment = ''
      text += /^['$]./.test(token) ? "''" : token
    }
  }
  if (text.trim() !== '') statements.push({ text: normal(text), comment })
  return statements
}

function normal(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}
