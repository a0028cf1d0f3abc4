// Finds the texts in a source file that people read, and breaches of the writing rules in them.
import ts from 'typescript'

export interface Rule {
  readonly name: string
  readonly pattern: RegExp
  /** Better words for the text at fault. */
  readonly instead: string
}

export interface Breach {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly text: string
  readonly instead: string
}

/** Returns rules from rows of a name, a pattern, and better words. */
export function rulesOf(rows: readonly (readonly [name: string, pattern: RegExp, instead: string])[]): Rule[] {
  return rows.map(([name, pattern, instead]) => ({ name, pattern, instead }))
}

/** Imperatives that begin an instruction. */
const DO =
  'ask|use|set|run|try|wait|sign|choose|select|reload|write|send|make|give|delete|create|hand|revoke|retire|remove|import|restart|upgrade|see|go|begin|resume|enable|start|add'

/** Rules for messages on screens, in emails, errors, logs and commands. */
export const RULES: readonly Rule[] = rulesOf([
  ['M1', /\b(?:not|no)\b[^.;:]*\bany ?more\b/, 'no longer'],
  ['M2', /\b(?:is|are|was|were|be|been) told\b|\bhear(?:s|d)? of\b/, 'notified, alerted, received'],
  ['M3', /^(?:That|Those|Of|By|With|Where|Whoever|What|From) /, 'begin with a noun or a verb'],
  ['M4', /\b(?:whoever|somebody|nobody)\b/i, 'someone, no one, the operator'],
  ['M5', /with commas between|(?<!\b[tT]here )\bis no (?!longer\b|more\b)[a-z]+\b/, 'comma-separated, is not a'],
  ['M6', /as many as may be|\bmust go on\b|\bworks? no more\b/, 'the maximum, must continue, no longer works'],
  ['M7', /\b(?:a|the|no|this|too many) mails?\b(?! server)|\bby mail\b/i, 'email'],
  ['M8', /\b(?:exists?|known|set up|a member|an account) already\b/, 'put already before the verb'],
  ['M9', new RegExp(`(?<!^error|(?:^|“)dogwatch): (?:${DO})\\b`), 'a semicolon before what to do'],
  ['M10', /\b(?:link|invitation)\b.*\btoo old\b|unknown, used/, 'invalid, used or expired'],
  [
    'M11',
    /\bthe nearest is\b|carried over|stay behind|(?:keeps|presents|asks for|takes|goes through) no /,
    'X is not supported; the closest alternative is',
  ],
  ['M12', /and (?:this )?will be retried|is tried again/, 'will retry'],
  ['M13', /\bby (?:it|them)sel(?:f|ves)\b/, 'on its own, individually'],
  ['M14', /\b(?:is|are) of (?:a|another|no) |, of which|on which it/, 'rephrase'],
  ['M15', /\bcertificate\b.*\bends?\b/, 'expires'],
])

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
    // Ignores tagged templates, because they contain SQL.
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
export function breachesOf(file: string, source: string): Breach[] {
  return textsOf(file, source).flatMap(({ line, text }) => {
    const broken = RULES.filter(({ pattern }) => pattern.test(text))
    return broken.map(({ name, instead }) => ({ file, line, rule: name, text, instead }))
  })
}
