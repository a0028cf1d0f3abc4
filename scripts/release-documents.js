// Moves the released OpenAPI documents to the present ones.
import { handOverToScript } from './handover.js'

await handOverToScript('release-documents', { build: false })
