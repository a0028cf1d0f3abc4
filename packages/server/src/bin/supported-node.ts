// Ends a start under a version of Node that is too old. Must be imported first, because native modules of later imports
// would crash.
const OLDEST = 24

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  process.stderr.write(`dogwatch: requires Node ${OLDEST} or newer, but this is ${process.version}\n`)
  process.exit(1)
}
