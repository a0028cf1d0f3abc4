// Ends with 0 when the process in this container is alive, and with 1 otherwise.
const port = process.env.METRICS_PORT ?? '9464'
const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4000) }).catch(() => null)
process.exitCode = answer?.ok ? 0 : 1
