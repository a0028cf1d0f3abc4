// Ends a start under a Node that is too old. Imported first: the native parts that come after it would crash.
const OLDEST = 24

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  process.stderr.write(`dogwatch: Node ${OLDEST} or newer is needed; this is ${process.version}\n`)
  process.exit(1)
}
