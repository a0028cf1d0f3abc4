// Serves the agent to machines without one: the installer, a container file, and the archives with their checksums.
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { DomainError } from '@dogwatch/domain/errors'
import { clientAt } from '@dogwatch/domain/limits/address'
import { TOO_OFTEN } from '@dogwatch/domain/limits/spend'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { HttpError, OVERLOADED } from '../errors.ts'
import { holdersAt, Slots, type Visit } from '../slots.ts'
import { nameRoute } from '../surface.ts'
import { type Archive, type ArchiveFolder, type Archives, checksumsOf, containerfileOf, scriptOf } from './archives.ts'

export interface InstallOptions {
  folder: ArchiveFolder
  /** Address of this server that agents use. */
  public_url: string
  bounds?: Partial<DownloadBounds>
}

export interface DownloadBounds {
  /** Maximum number of archive downloads in progress. */
  most: number
  /** Maximum number of downloads in progress of one client address. */
  of_address: number
  /** Time after which a download is broken off, in milliseconds. */
  patience_ms: number
}

const BOUNDS: DownloadBounds = { most: 64, of_address: 8, patience_ms: 15 * 60_000 }
const RETRY_SEC = 10
/** Cache header of archives. A file's name contains its checksum, so the content of a name never changes. */
const FOR_GOOD = 'public, max-age=31536000, immutable'
const NO_ARCHIVES = 'this server has no agent archives; run "npm run bundle -w @dogwatch/agent" on it'
const PLATFORM_OF_FILE = /^dogwatch-agent-.{1,60}?-((?:linux|darwin|win32)-(?:x64|arm64))(?:\.|$)/

type Text = (archives: Archives, server: string) => string

export function install({ folder, public_url, bounds = {} }: InstallOptions): RequestHandler {
  const { most, of_address, patience_ms } = { ...BOUNDS, ...bounds }
  const slots = new Slots()
  const server = public_url.replace(/(?<!\/)\/+$/, '')
  const router = Router({ caseSensitive: true, strict: true })
  const archives = async (): Promise<Archives> => {
    const found = await folder.read()
    if (!found) throw new HttpError(404, NO_ARCHIVES)
    return found
  }
  const text = (path: string, type: string, make: Text) =>
    router.get(path, async (_req, res) => {
      nameRoute(res, `/install${path}`)
      sendText(res, type, make(await archives(), server))
    })
  text('/', 'text/plain', describe)
  text('/install.sh', 'text/x-shellscript', scriptOf)
  text('/SHA256SUMS', 'text/plain', checksumsOf)
  text('/Containerfile', 'text/plain', (found) => {
    const filled = containerfileOf(found, server)
    if (filled === undefined) throw new HttpError(404, notMade('linux-x64'))
    return filled
  })
  router.get('/:file', async (req, res) => {
    nameRoute(res, '/install/{archive}')
    const name = req.params.file
    const { archives: all } = await archives()
    const archive = all.find(({ file }) => file === name)
    if (!archive) throw new HttpError(404, notMade(PLATFORM_OF_FILE.exec(name)?.[1]))
    await sendArchive(req, res, join(folder.path, archive.file), archive, {
      take: () => takeSlot(slots, req, { most, of_address }),
      patience_ms,
    })
  })
  router.use((req) => {
    if (req.method === 'GET' || req.method === 'HEAD') throw new HttpError(404, 'no such path')
    throw new HttpError(405, 'method not allowed', { Allow: 'GET, HEAD' })
  })
  return router
}

function notMade(platform: string | undefined): string {
  if (platform === undefined) return 'no such file; see /install/ for the list'
  return `there is no archive for ${platform}; run "npm run bundle -w @dogwatch/agent -- --platform ${platform}" on the server`
}

function describe({ version, archives }: Archives, server: string): string {
  const lines = archives.map(
    ({ platform, file, size }) => `${platform}  ${(size / 1e6).toFixed(1)} MB  ${server}/install/${file}`,
  )
  return [
    `The Dogwatch agent ${version}. Checksums: ${server}/install/SHA256SUMS`,
    `Installer for Linux and macOS: ${server}/install/install.sh`,
    `Container file: ${server}/install/Containerfile`,
    ...lines,
    '',
  ].join('\n')
}

function sendText(res: Response, type: string, text: string): void {
  res.setHeader('Cache-Control', 'no-cache, no-transform')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.type(`${type}; charset=utf-8`).send(text)
}

function takeSlot(slots: Slots, req: Request, { most, of_address }: Omit<DownloadBounds, 'patience_ms'>): () => void {
  const client = clientAt(req.ip ?? '')
  const visit: Visit = {
    ...{ began: performance.now(), holders: holdersAt(client, of_address) },
    ...{ owner: () => client.network, isAwaited: () => true, cut: () => req.destroy() },
  }
  const refusal = slots.take(visit, { most })
  if (!refusal) return () => slots.delete(visit)
  if (refusal === 'excess') throw new DomainError('limited', TOO_OFTEN, RETRY_SEC)
  throw new HttpError(503, OVERLOADED, { 'Retry-After': String(RETRY_SEC) })
}

async function sendArchive(
  req: Request,
  res: Response,
  path: string,
  { size, file }: Archive,
  { take, patience_ms }: { take: () => () => void; patience_ms: number },
): Promise<void> {
  const leave = req.method === 'HEAD' ? () => {} : take()
  try {
    const source = await open(path).catch(() => {
      throw new HttpError(404, notMade(PLATFORM_OF_FILE.exec(file)?.[1]))
    })
    res.setHeader('Cache-Control', FOR_GOOD)
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.setHeader('Content-Length', size)
    res.setHeader('Content-Type', 'application/gzip')
    if (req.method === 'HEAD') {
      await source.close()
      res.end()
      return
    }
    // More than the default, because the pipeline adds listeners to those of earlier middlewares.
    res.setMaxListeners(20)
    // A client that disconnects or reads too slowly causes no error, and only its download ends.
    await pipeline(source.createReadStream(), res, { signal: AbortSignal.timeout(patience_ms) }).catch(() =>
      res.destroy(),
    )
  } finally {
    leave()
  }
}
