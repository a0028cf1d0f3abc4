// Runs the archive of the server in an empty folder. The archive must be complete, and no process may be left at the end.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../../lab/proof.ts'
import { listeningPort } from '../../lab/server.ts'
import type { World } from '../../lab/world.ts'

const MAKE = fileURLToPath(new URL('../../../packages/server/packaging/make.ts', import.meta.url))
const SOON_MS = 60_000

/** Runs the archive. Its server must offer the archives of the agent, which are in the folder `agents`. */
export async function runServerArchive(world: World, agents: string): Promise<{ figures: string[]; faults: string[] }> {
  const faults: string[] = []
  const [out, cwd] = [join(world.folder, 'server-archive'), join(world.folder, 'unpacked')]
  execFileSync(process.execPath, [MAKE, '--out', out, '--agents', agents], { stdio: 'inherit' })
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out, stdio: 'inherit' })
  mkdirSync(cwd)
  const file = readdirSync(out).find((name) => name.endsWith('.tar.gz')) ?? ''
  execFileSync('tar', ['-xzf', join(out, file), '-C', cwd])
  const [folder = ''] = readdirSync(cwd)
  const program = join(cwd, folder, 'bin/dogwatch')
  const data = join(cwd, 'data')
  const env = { PATH: '/usr/bin:/bin', DOGWATCH_DATA_DIR: data }

  const began = performance.now()
  const settings = { ...env, PORT: '0', LOG_LEVEL: 'warn', DOGWATCH_AGENT_CONNECTIVITY: 'off' }
  const server = spawn(program, ['serve'], { env: settings, cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  world.undo(() => server.kill('SIGTERM') && ended)
  const url = `http://127.0.0.1:${await listeningPort(server)}`
  const sec = (performance.now() - began) / 1000
  const [, style = ''] = /href="(\/assets\/[^"]+\.css)"/.exec(await (await fetch(`${url}/sign-in`)).text()) ?? []
  for (const path of ['/healthz', '/readyz', '/install/install.sh', '/install/SHA256SUMS', style]) {
    const { status } = await fetch(url + path)
    if (status !== 200 || path === '') faults.push(`${path} of the server from the archive has the status ${status}`)
  }
  const create = 'org create --name Acme --plan team --owner-email alice@example.com --owner-password-stdin'.split(' ')
  const org = execFileSync(program, create, { env, cwd, input: 'correct horse battery\n', encoding: 'utf8' })
  const list = ['monitor', 'list', '--org', String((JSON.parse(org) as { org_id: number }).org_id)]
  const monitors = () => execFileSync(program, list, { env, cwd, encoding: 'utf8' })
  const hasMonitor = await until(() => monitors().includes('Built-in monitor'), SOON_MS)
  if (!hasMonitor) faults.push('the server from the archive runs no built-in monitor')

  server.kill('SIGTERM')
  const [code] = (await ended) as [number | null]
  if (code !== 0) faults.push(`the server from the archive ended with ${String(code)}`)
  const left = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n')
  faults.push(...left.filter((args) => args.includes(cwd)).map((args) => `the server from the archive left ${args}`))
  if (!existsSync(join(data, 'postgres.json'))) faults.push('its data is not in the data directory')
  return { figures: [`${file} listens after ${sec.toFixed(1)} s with a database of its own`], faults }
}
