// Checks doc comments and names in the sources by the rules for comments: subject first, standing alone, short.
import ts from 'typescript'
import { type Breach, type Rule, rulesOf } from './messages.ts'

const COMMENT_MAX = 240
const PASSIVE = /\b(?:is|are|was|were|been|be) (?:not )?\w+(?:ed|en|wn|ld|nt|pt|ut)\b/

/** Rules for each doc comment. */
export const COMMENT_RULES: readonly Rule[] = rulesOf([
  [
    'C1',
    /^(?:What|Of|Those|That|By|As|It|Its|From|Who|Whom|Whoever|Whose|The same|These|So|Such|Where|In|At|For|With|Until|Since|Which|In place of|Not|Nothing|Nobody|Some|Also)\b/,
    'begin with a verb, or with the noun for the thing',
  ],
  ['C2', /(?:^|[.;] )(?:[Uu]ndefined|[Nn]ull|False|True|Left out|Empty):/, '"Absent if …", "Returns undefined if …"'],
  ['C3', new RegExp(`^[^]{${COMMENT_MAX + 1},}$`), `at most ${COMMENT_MAX} characters`],
  [
    'C4',
    /\b(?:told|hears? of|heard of|any more|anew|whoever|nobody|somebody|as far as|stands? (?:in|at|behind|before|beside|for)|besides|is to be|are to be|came to|what came of|meanwhile)\b/i,
    'the words of the glossary',
  ],
  [
    'C5',
    /\b(?:of|by|from|about|to|with|on|in|for|under|behind) (?:which|whom|what)\b/,
    'put the relative clause after its noun',
  ],
  ['C6', new RegExp(`${PASSIVE.source}[^.]*${PASSIVE.source}`), 'say who does it: at most one passive a sentence'],
])

/** Rule for the comment of a function or method. */
const VERB: Rule = {
  name: 'C7',
  pattern: /^(?!(?:[A-Z][a-z]+(?:s|es)|Whether|Does)\b)/,
  instead: 'begin with a verb in the third person',
}

const PARTICIPLE =
  /^(?:[A-Z][a-z]+ed|Told|Found|Shown|Held|Kept|Sent|Spent|Known|Given|Taken|Made|Left|Gone|Lost|Done|Read|Seen|Heard|Written|Chosen|Begun|Put|Asking|Telling|Reading|Waiting|Writing|Leading|Beginning|Following)$/
/** Words that end in "ed", but are nouns. */
const NOUN = /^(?:Seed|Feed|Need|Speed|Embed)$/
const PREDICATE = /^#?(?:is|has|may|can|are|was|does)[A-Z]/

/** Returns each breach in the doc comments and names of one source file. */
export function commentBreaches(file: string, source: string): Breach[] {
  const kind = /x$/.test(file) ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, kind)
  const breaches: Breach[] = []
  const add = (position: number, rule: string, text: string, instead: string): void => {
    breaches.push({ file, line: tree.getLineAndCharacterOfPosition(position).line + 1, rule, text, instead })
  }
  const walk = (node: ts.Node): void => {
    for (const comment of docCommentsOf(node)) {
      const text = textOf(comment)
      const rules = isFunction(node) ? [...COMMENT_RULES, VERB] : COMMENT_RULES
      for (const { name, pattern, instead } of rules) {
        if (pattern.test(text)) add(comment.pos, name, text, instead)
      }
    }
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)) {
      const name = node.name?.text ?? ''
      if (PARTICIPLE.test(name) && !NOUN.test(name)) add(node.getStart(tree), 'N1', name, 'a noun for the thing')
    }
    const predicate = predicateOf(node)
    if (predicate !== undefined) add(node.getStart(tree), 'N2', predicate, 'a verb: "is…" returns a boolean')
    ts.forEachChild(node, walk)
  }
  walk(tree)
  return breaches
}

/** Maximum number of files of a package that declare a type with the same name. */
const SAME_NAME_MAX = 2
const TYPE = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/

/** Returns a breach for each declaration of a type name that too many files of one package declare. `sources`: texts by path. */
export function repeatedTypeBreaches(sources: ReadonlyMap<string, string>): Breach[] {
  const declared = new Map<string, Breach[]>()
  for (const [file, source] of sources) {
    for (const [at, line] of source.split('\n').entries()) {
      const name = TYPE.exec(line)?.[1]
      if (name === undefined || name === 'Props') continue
      const key = `${/^packages\/[^/]+/.exec(file)?.[0]} ${name}`
      const breach = { file, line: at + 1, rule: 'N3', text: name, instead: 'a precise name, or one shared type' }
      declared.set(key, [...(declared.get(key) ?? []), breach])
    }
  }
  return [...declared.values()]
    .filter((breaches) => new Set(breaches.map(({ file }) => file)).size > SAME_NAME_MAX)
    .flat()
}

/** Returns the doc comments directly before a node. */
function docCommentsOf(node: ts.Node): readonly ts.JSDoc[] {
  return 'jsDoc' in node && Array.isArray(node.jsDoc) ? (node.jsDoc as ts.JSDoc[]) : []
}

function textOf(comment: ts.JSDoc): string {
  return comment
    .getText()
    .replace(/^\/\*\*|\*\/$/g, '')
    .replace(/^\s*\* ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Whether the node declares a function, a method, or a constant whose value is a function. */
function isFunction(node: ts.Node): boolean {
  if (ts.isVariableStatement(node)) {
    const [first] = node.declarationList.declarations
    return first?.initializer !== undefined && ts.isArrowFunction(first.initializer)
  }
  return ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)
}

/** Returns the name of a function that is called like a predicate and declares another type than boolean. */
function predicateOf(node: ts.Node): string | undefined {
  if (!ts.isFunctionDeclaration(node) && !ts.isMethodDeclaration(node) && !ts.isMethodSignature(node)) return undefined
  const name = node.name?.getText() ?? ''
  const type = node.type?.getText()
  if (!PREDICATE.test(name) || type === undefined) return undefined
  return /^(?:boolean|Promise<boolean>|(?:asserts )?\w+ is .*)$/.test(type) ? undefined : name
}
