// Runs the generators.
import { handOverToScript } from './handover.js'

await handOverToScript('generate', { build: false })
