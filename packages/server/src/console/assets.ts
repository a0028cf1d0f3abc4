// Stylesheets and scripts, under names that contain a hash of their content.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import { type RequestHandler, Router } from 'express'

interface Asset {
  path: string
  type: string
  plain: Buffer
  gzipped: Buffer
}

// Beside the source and not copied by the compiler: dist/ is as deep as src/.
const own = (name: string) => readFileSync(new URL(`../../assets/${name}`, import.meta.url))
const uplot = (name: string) => readFileSync(createRequire(import.meta.url).resolve(`uplot/dist/${name}`))

const STYLE = load('style.css', own('style.css'))
const SCRIPT = load('script.js', own('script.js'))
const CHART_SCRIPT = load('chart.js', own('chart.js'))
const UPLOT_SCRIPT = load('uplot.js', uplot('uPlot.iife.min.js'))
const UPLOT_STYLE = load('uplot.css', uplot('uPlot.min.css'))

export const STYLE_PATH = `/assets${STYLE.path}`
export const SCRIPT_PATH = `/assets${SCRIPT.path}`
export const CHART_SCRIPT_PATH = `/assets${CHART_SCRIPT.path}`
export const UPLOT_SCRIPT_PATH = `/assets${UPLOT_SCRIPT.path}`
export const UPLOT_STYLE_PATH = `/assets${UPLOT_STYLE.path}`

/**
 * Runs before the compression of answers: compressing for each request would cost more than everything else, and
 * anybody may ask.
 */
export function assets(): RequestHandler {
  const router = Router()
  for (const { path, type, plain, gzipped } of [STYLE, SCRIPT, CHART_SCRIPT, UPLOT_SCRIPT, UPLOT_STYLE]) {
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

function load(name: string, body: Buffer): Asset {
  const version = createHash('sha256').update(body).digest('hex').slice(0, 12)
  const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'
  return { path: `/${version}/${name}`, type, plain: body, gzipped: gzipSync(body, { level: 9 }) }
}
