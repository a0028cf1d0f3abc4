// Runs inside the servers of a bench, and ends each server when the bench ends for any reason.
process.on('disconnect', () => process.exit())
process.channel?.unref()
