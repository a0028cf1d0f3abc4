// Runs all gates and all tests. With arguments, runs only jest with these arguments.
import { handOverToScript } from './handover.js'

await handOverToScript('test', { build: false })
