// Checks that generated files are current.
import { handOverToScript } from './handover.js'

await handOverToScript('verify', { build: false })
