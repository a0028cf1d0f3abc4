// Ends a start under a Node that is too old. Imported first, because the native part that comes after it may crash.
const OLDEST = 24

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  process.stderr.write(`dogwatch-agent: requires Node ${OLDEST} or newer, but this is ${process.version}\n`)
  process.exit(1)
}
