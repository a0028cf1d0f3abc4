// Generates what follows from the OpenAPI documents.
import { handOverToScript } from './handover.js'

await handOverToScript('generate', { build: false })
