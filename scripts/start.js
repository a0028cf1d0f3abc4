// Starts Dogwatch: database, server, worker and, on an empty database, a demo.
import { handOverToScript } from './handover.js'
import { Progress } from './progress.js'

const progress = new Progress(process.argv.includes('--no-demo') ? 2 : 4)
await handOverToScript('start', { build: true, progress })
