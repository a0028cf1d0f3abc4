// Runs the archive of the server in an empty folder: it is complete, and leaves no process.
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
const END_MS = 15_000

/** Runs the archive. The server offers the archives of the agent in the folder `agents`. */
export async function runServerArchive(world: World, agents: string): Promise<{ figures: string[]; faults: string[] }> {
  const faults: string[] = []
  const [out, place] = [join(world.folder, 'server-archive'), join(world.folder, 'unpacked')]
  execFileSync(process.execPath, [MAKE, '--out', out, '--agents', agents], { stdio: 'inherit' })
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: out, stdio: 'inherit' })
  mkdirSync(place)
  const file = readdirSync(out).find((name) => name.endsWith('.tar.gz')) ?? ''
  execFileSync('tar', ['-xzf', join(out, file), '-C', place])
  const [folder = ''] = readdirSync(place)
  const program = join(place, folder, 'bin/dogwatch')
  const data = join(place, 'data')
  const env = { PATH: '/usr/bin:/bin', DOGWATCH_DATA_DIR: data }
  const command = (args: readonly string[], input = ''): unknown =>
    JSON.parse(execFileSync(program, args, { env, cwd: place, input, encoding: 'utf8' }))

  const began = performance.now()
  const settings = { ...env, PORT: '0', LOG_LEVEL: 'warn', DOGWATCH_AGENT_CONNECTIVITY: 'off' }
  const server = spawn(program, ['serve'], { env: settings, cwd: place, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  world.undo(async () => {
    server.kill('SIGTERM')
    const timer = setTimeout(() => server.kill('SIGKILL'), END_MS)
    await ended
    clearTimeout(timer)
  })
  const timer = setTimeout(() => server.kill('SIGKILL'), SOON_MS)
  const url = `http://127.0.0.1:${await listeningPort(server)}`
  clearTimeout(timer)
  const sec = (performance.now() - began) / 1000
  for (const path of ['/healthz', '/readyz', '/sign-in', '/install/install.sh', '/install/SHA256SUMS']) {
    const { status } = await fetch(url + path)
    if (status !== 200) faults.push(`${path} of the server from the archive has the status ${status}`)
  }
  const [, style = ''] = /href="(\/assets\/[^"]+\.css)"/.exec(await (await fetch(`${url}/sign-in`)).text()) ?? []
  if (style === '' || !(await fetch(url + style)).ok)
    faults.push('the pages of the server from the archive have no style')

  const owner = ['--owner-email', 'alice@example.com', '--owner-password-stdin']
  const create = ['org', 'create', '--name', 'Acme', '--plan', 'team', ...owner]
  const { org_id } = command(create, 'correct horse battery\n') as { org_id: number }
  const monitors = () => command(['monitor', 'list', '--org', String(org_id)]) as { name: string }[]
  const hasMonitor = await until(() => JSON.stringify(monitors()).includes('Built-in monitor'), SOON_MS)
  if (!hasMonitor) faults.push('the server from the archive runs no built-in monitor')

  server.kill('SIGTERM')
  const [code] = (await ended) as [number | null]
  if (code !== 0) faults.push(`the server from the archive ended with ${String(code)}`)
  const left = execFileSync('sh', ['-c', 'ps -eo args | grep -F "$1" | grep -vF grep || true', 'sh', place], {
    encoding: 'utf8',
  })
  if (left.trim() !== '') faults.push(`the server from the archive left processes: ${left.trim()}`)
  if (!existsSync(join(data, 'postgres.json'))) faults.push('its data is not in the data directory')
  return { figures: [`${file} listens after ${sec.toFixed(1)} s with a database of its own`], faults }
}
