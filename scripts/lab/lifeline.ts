// Loaded into the servers of a bench: they end with it, however it ends.
process.on('disconnect', () => process.exit())
process.channel?.unref()
