// Runs a foreign program, and ends it when the bench does, however that ends: node kept.ts PROGRAM ARGUMENTS.
import { spawn } from 'node:child_process'

const [program = '', ...args] = process.argv.slice(2)
const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
child.on('exit', (code) => process.exit(code ?? 1))
process.on('disconnect', () => child.kill('SIGKILL'))
process.on('SIGTERM', () => child.kill('SIGKILL'))
process.send?.({ pid: child.pid })
