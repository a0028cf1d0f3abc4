// What a database needs to know where its results are.
export { NodesDialect } from './nodes/layout.ts'
export { Nodes } from './nodes/nodes.ts'
export { Sealing } from './sealing/known.ts'
