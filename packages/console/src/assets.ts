// Serves stylesheets, scripts and the logo, under names that contain a hash of their content.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import { type RequestHandler, Router } from 'express'
import { MARK_TONES, type MarkTone, markFile } from './design/mark.tsx'

interface Asset {
  path: string
  type: string
  plain: Buffer
  gzipped: Buffer
}

const TYPES = new Map(
  Object.entries({
    css: 'text/css; charset=utf-8',
    js: 'text/javascript; charset=utf-8',
    svg: 'image/svg+xml; charset=utf-8',
  }),
)

/** Stylesheets that come first, in this order. The others follow by name, and then the last ones. */
const FIRST_STYLES = ['tokens.css', 'base.css', 'components.css', 'tables.css', 'forms.css', 'frame.css']
const LAST_STYLES = ['print.css']

// The compiler does not copy the assets to dist/. The same relative path leads to them from src/ and from dist/, because both
// folders are equally deep.
const folder = (name: string) => new URL(`../assets/${name}`, import.meta.url)
const own = (name: string) => readFileSync(folder(name))
const uplot = (name: string) => readFileSync(createRequire(import.meta.url).resolve(`uplot/dist/${name}`))

const STYLE = load('style.css', Buffer.from(joinedStyles()))
const SCRIPT = load('script.js', Buffer.from(joinedScripts()))
const CHART_SCRIPT = load('chart.js', own('chart.js'))
const UPLOT_SCRIPT = load('uplot.js', uplot('uPlot.iife.min.js'))
const UPLOT_STYLE = load('uplot.css', uplot('uPlot.min.css'))
const ICONS = MARK_TONES.map((tone) => [tone, load(`${tone}.svg`, Buffer.from(markFile(tone)))] as const)

export const STYLE_PATH = `/assets${STYLE.path}`
export const SCRIPT_PATH = `/assets${SCRIPT.path}`
export const CHART_SCRIPT_PATH = `/assets${CHART_SCRIPT.path}`
export const UPLOT_SCRIPT_PATH = `/assets${UPLOT_SCRIPT.path}`
export const UPLOT_STYLE_PATH = `/assets${UPLOT_STYLE.path}`
/** Paths of the icons for browser tabs. */
export const ICON_PATHS = Object.fromEntries(ICONS.map(([tone, { path }]) => [tone, `/assets${path}`])) as Readonly<
  Record<MarkTone, string>
>

const ALL = [STYLE, SCRIPT, CHART_SCRIPT, UPLOT_SCRIPT, UPLOT_STYLE, ...ICONS.map(([, asset]) => asset)]
/** Compressed size of each asset, in bytes. */
export const ASSET_BYTES: readonly { path: string; gzipped: number }[] = ALL.map(({ path, gzipped }) => ({
  path,
  gzipped: gzipped.length,
}))

/**
 * Serves the assets, already compressed. It must run before the compression of responses: compressing for each request would cost
 * more than everything else, and anyone can send requests.
 */
export function assets(): RequestHandler {
  const router = Router()
  for (const { path, type, plain, gzipped } of ALL) {
    router.get(path, (req, res) => {
      const isSmall = req.acceptsEncodings('gzip') === 'gzip'
      res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
      res.setHeader('X-Content-Type-Options', 'nosniff')
      res.setHeader('Vary', 'Accept-Encoding')
      if (isSmall) res.setHeader('Content-Encoding', 'gzip')
      res.type(type).send(isSmall ? gzipped : plain)
    })
  }
  return router
}

/** Joins all files in assets/styles into one stylesheet. */
function joinedStyles(): string {
  const others = namesIn('styles', '.css').filter((name) => ![...FIRST_STYLES, ...LAST_STYLES].includes(name))
  return [...FIRST_STYLES, ...others, ...LAST_STYLES].map((name) => textOf(`styles/${name}`)).join('\n')
}

/**
 * Joins all files in assets/scripts into one script, by name. Each file has its own scope, and an error in one is reported
 * without stopping the others.
 */
function joinedScripts(): string {
  const wrapped = namesIn('scripts', '.js').map((name) => {
    return `try {\n;(() => {\n'use strict'\n${textOf(`scripts/${name}`)}})()\n} catch (error) {\nreportError(error)\n}\n`
  })
  return wrapped.join('')
}

function namesIn(name: string, ending: string): string[] {
  return readdirSync(folder(name))
    .filter((file) => file.endsWith(ending))
    .sort()
}

function textOf(name: string): string {
  return own(name).toString('utf8')
}

function load(name: string, body: Buffer): Asset {
  const version = createHash('sha256').update(body).digest('hex').slice(0, 12)
  const type = TYPES.get(name.split('.').at(-1) ?? '') ?? ''
  return { path: `/${version}/${name}`, type, plain: body, gzipped: gzipSync(body, { level: 9 }) }
}
