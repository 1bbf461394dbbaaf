/** Resolves when the process is asked to end (SIGINT, SIGTERM); asked once more, it ends at once. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
