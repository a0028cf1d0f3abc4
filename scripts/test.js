// Runs every gate and every test; arguments go to jest alone.
import { handOverToScript } from './handover.js'

await handOverToScript('test', { build: false })
