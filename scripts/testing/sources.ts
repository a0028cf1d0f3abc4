// Types and lint of all sources, in one process: the linter asks for the types that the compiler has found. In client.types.ts of the
// SDKs are mistakes that must not compile, each said to be one.
import { ESLint } from 'eslint'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
/** A file that several have is of the first. */
const PROJECTS = [
  'packages/server/tsconfig.test.json',
  'packages/monitor-sdk/test/tsconfig.json',
  'packages/account-sdk/test/tsconfig.json',
  'packages/agent/test/tsconfig.json',
  'scripts/tsconfig.json',
]
const LINTED = ['packages', 'scripts']

/** Several projects read the same files of the compiler and of Node. */
const parsed = new Map<string, ts.SourceFile | undefined>()

function programOf(name: string): ts.Program {
  const file = join(root, name)
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail }
  const config = ts.getParsedCommandLineOfConfigFile(file, {}, host)
  if (!config) throw new Error(`${file} cannot be read`)
  config.errors.forEach(fail)
  return ts.createProgram({ rootNames: config.fileNames, options: config.options, host: hostFor(config.options) })
}

function hostFor(options: ts.CompilerOptions): ts.CompilerHost {
  // The linter needs to go from a node to its parent.
  const host = ts.createCompilerHost(options, true)
  const read = host.getSourceFile.bind(host)
  host.getSourceFile = (name, how, ...rest) => {
    const format = typeof how === 'object' ? how.impliedNodeFormat : undefined
    const key = `${name} ${format}`
    if (!name.includes('/node_modules/')) return read(name, how, ...rest)
    if (!parsed.has(key)) parsed.set(key, read(name, how, ...rest))
    return parsed.get(key)
  }
  return host
}

function fail(diagnostic: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'))
}

/** What the compiler finds in the files that no project before it has, as it writes it; empty when that is nothing. */
function faultsOf(program: ts.Program, seen: Set<string>): string {
  const own = program
    .getSourceFiles()
    .filter(({ fileName }) => !fileName.includes('/node_modules/') && !seen.has(fileName))
  for (const { fileName } of own) seen.add(fileName)
  const found = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ]
  const host = { getCurrentDirectory: () => root, getNewLine: () => '\n', getCanonicalFileName: (name: string) => name }
  return ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(found), host)
}

async function lint(programs: ts.Program[]): Promise<string> {
  const overrideConfig = [
    { files: ['**/*.ts', '**/*.tsx'], languageOptions: { parserOptions: { programs, project: null } } },
  ]
  const eslint = new ESLint({ cwd: root, overrideConfig })
  const results = (await eslint.lintFiles(LINTED)).filter(({ messages }) => messages.length > 0)
  return (await eslint.loadFormatter('stylish')).format(results)
}

const programs = PROJECTS.map(programOf)
const seen = new Set<string>()
const said = `${programs.map((program) => faultsOf(program, seen)).join('')}${await lint(programs)}`
process.stdout.write(said)
process.exitCode = said === '' ? 0 : 1
