// Starts Dogwatch: database, server, worker and, on an empty database, a demo.
import { handOverToScript } from './handover.js'

await handOverToScript('start', { build: true })
