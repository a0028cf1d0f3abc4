// Exports the parts with which a database finds where its results are stored.
export { NodesDialect } from './nodes/layout.ts'
export { Nodes } from './nodes/nodes.ts'
export { Sealing } from './sealing/known.ts'
