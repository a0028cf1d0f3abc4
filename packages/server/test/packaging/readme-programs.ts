// The code of the SDKs' READMEs as a reader puts it together: the blocks of a page, one after the other, are one program.
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { ROOT, runProgram, type Sdk, SDKS, tool } from './sdk-projects.ts'

const NOT_RUN = '<!-- not run: it has no end -->\n'
const IMPORT = /^import (type )?\{([^}]*)\} from '([^']+)'\n/gm

interface Block {
  text: string
  isRun: boolean
}

/** Returns the blocks of one language, in order. */
export function blocksOf(page: string, language: string): Block[] {
  const fence = new RegExp(`(${NOT_RUN})?\`\`\`${language}\\n([^]*?)\`\`\``, 'g')
  return Array.from(page.matchAll(fence), ([, mark, text = '']) => ({ text, isRun: mark === undefined }))
}

/** Returns the program that the TypeScript blocks of a page are. What has no end becomes a function that nobody calls. */
export function programOf(page: string): string {
  const names = new Map<string, Set<string>>()
  const bodies = blocksOf(page, 'ts').map(({ text, isRun }, index) => {
    const body = text.replace(IMPORT, (_, type: string | undefined, list: string, module: string) => {
      const known = names.get(module) ?? new Set()
      for (const name of list.split(',').map((one) => one.trim())) if (name) known.add(type ? `type ${name}` : name)
      names.set(module, known)
      return ''
    })
    return isRun ? body : `export async function notRun${index}(): Promise<void> {\n${body}}\n`
  })
  const imports = Array.from(names, ([module, list]) => `import { ${[...list].join(', ')} } from '${module}'\n`)
  return [...imports, ...bodies, 'process.exit(0)\n'].join('')
}

/**
 * Compiles the programs of all READMEs and the examples of the packages with strict settings, in a project that has the packed SDKs.
 * Returns the folder of what came out, where each README is `readme-SDK.js`.
 */
export async function compileReadmes(project: string): Promise<string> {
  const files: string[] = []
  for (const sdk of SDKS) {
    const installed = installedIn(project, sdk)
    const program = join(project, `readme-${sdk}.ts`)
    await writeFile(program, programOf(await readFile(join(installed, 'README.md'), 'utf8')))
    files.push(program)
    const examples = (await readdir(join(installed, 'examples')).catch(() => [])).filter((name) => name.endsWith('.ts'))
    for (const name of examples) await cp(join(installed, 'examples', name), join(project, name))
    files.push(...examples.map((name) => join(project, name)))
  }
  const outDir = join(project, 'compiled')
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    outDir,
    rootDir: project,
  }
  const config = join(project, 'tsconfig.readmes.json')
  await writeFile(config, JSON.stringify({ compilerOptions, files }))
  await runProgram(process.execPath, [tool('typescript/bin/tsc'), '-p', config])
  return outDir
}

/** Returns the links of a package's pages that lead to nothing in the package. */
export async function deadLinksIn(project: string, sdk: Sdk): Promise<string[]> {
  const installed = installedIn(project, sdk)
  const paths = (await readdir(installed, { recursive: true })).filter((path) => !path.startsWith('node_modules'))
  const dead: string[] = []
  for (const page of paths.filter((path) => path.endsWith('.md'))) {
    const text = await readFile(join(installed, page), 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [file = ''] = link.split('#')
      const isHere = file === '' || paths.includes(normalize(join(dirname(page), file)))
      if (!/^https?:/.test(link) && !isHere) dead.push(`${page}: ${link}`)
    }
  }
  return dead
}

export function installedIn(project: string, sdk: Sdk): string {
  return join(project, 'node_modules/@dogwatch', sdk)
}
