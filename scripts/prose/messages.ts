// Finds the texts of a source file that people read, and the habits in them that the writing rules forbid.
import ts from 'typescript'

export interface Rule {
  readonly name: string
  readonly pattern: RegExp
  /** Words to write instead. */
  readonly instead: string
}

export interface Breach {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly text: string
  readonly instead: string
}

/** Rules for messages on screens, in emails, errors, logs and commands. */
export const RULES: readonly Rule[] = [
  { name: 'M1', pattern: /\b(?:not|no)\b[^.;:]*\bany ?more\b/, instead: 'no longer' },
  {
    name: 'M2',
    pattern: /\b(?:is|are|was|were|be|been) told\b|\bhear(?:s|d)? of\b/,
    instead: 'notified, alerted, received',
  },
  {
    name: 'M3',
    pattern: /^(?:That|Those|Of|By|With|Where|Whoever|What|From) /,
    instead: 'begin with a noun or a verb',
  },
  { name: 'M4', pattern: /\b(?:whoever|somebody|nobody)\b/i, instead: 'someone, no one, the operator' },
  {
    name: 'M5',
    pattern: /with commas between|(?<!\b[tT]here )\bis no (?!longer\b|more\b)[a-z]+\b/,
    instead: 'comma-separated, is not a',
  },
  {
    name: 'M6',
    pattern: /as many as may be|\bmust go on\b|\bworks? no more\b/,
    instead: 'the maximum, must continue, no longer works',
  },
  { name: 'M7', pattern: /\b(?:a|the|no|this|too many) mails?\b(?! server)|\bby mail\b/i, instead: 'email' },
  {
    name: 'M8',
    pattern: /\b(?:exists?|known|set up|a member|an account) already\b/,
    instead: 'put already before the verb',
  },
  {
    name: 'M9',
    pattern:
      /(?<!^error|(?:^|“)dogwatch): (?:ask|use|set|run|try|wait|sign|choose|select|reload|write|send|make|give|delete|create|hand|revoke|retire|remove|import|restart|upgrade|see|go|begin|resume|enable|start|add)\b/,
    instead: 'a semicolon before what to do',
  },
  {
    name: 'M10',
    pattern: /\b(?:link|invitation)\b.*\btoo old\b|unknown, used/,
    instead: 'invalid, used or expired',
  },
  {
    name: 'M11',
    pattern: /\bthe nearest is\b|carried over|stay behind|(?:keeps|presents|asks for|takes|goes through) no /,
    instead: 'X is not supported; the closest alternative is',
  },
  { name: 'M12', pattern: /and (?:this )?will be retried|is tried again/, instead: 'will retry' },
  { name: 'M13', pattern: /\bby (?:it|them)sel(?:f|ves)\b/, instead: 'on its own, individually' },
  { name: 'M14', pattern: /\b(?:is|are) of (?:a|another|no) |, of which|on which it/, instead: 'rephrase' },
  { name: 'M15', pattern: /\bcertificate\b.*\bends?\b/, instead: 'expires' },
]

/** Placeholder for a value that a template inserts. */
const VALUE = '…'

/** Returns the texts of a file with their lines: literals and elements with at least two words, without SQL and imports. */
export function textsOf(file: string, source: string): { line: number; text: string }[] {
  const kind = /x$/.test(file) ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false, kind)
  const found: { line: number; text: string }[] = []
  const add = (node: ts.Node, text: string): void => {
    const joined = text.replace(/\s+/g, ' ').trim()
    if (!/\p{L}{2,} \S*\p{L}/u.test(joined) || /\bselect\b.*\bfrom\b/.test(joined)) return
    found.push({ line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1, text: joined })
  }
  const walk = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    // A tagged template is SQL.
    if (ts.isTaggedTemplateExpression(node)) return
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node)) add(node, node.text)
    else if (ts.isTemplateExpression(node)) {
      add(node, node.head.text + node.templateSpans.map(({ literal }) => VALUE + literal.text).join(''))
    }
    ts.forEachChild(node, walk)
  }
  walk(tree)
  return found
}

/** Returns each breach of a rule in the texts of a file. */
export function breachesOf(file: string, source: string, rules: readonly Rule[] = RULES): Breach[] {
  return textsOf(file, source).flatMap(({ line, text }) =>
    rules
      .filter(({ pattern }) => pattern.test(text))
      .map(({ name, instead }) => ({ file, line, rule: name, text, instead })),
  )
}
