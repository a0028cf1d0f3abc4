// Loaded before the built command: it then knows one kind more.
import { registerKind } from '../../../../channels/dist/registry.js'
import { pigeon } from './kind.ts'

registerKind(pigeon)
