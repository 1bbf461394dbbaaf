/**
 * Nothing survives Ctrl-C: while a run is under guard, a signal to the harness
 * (or its end for any other reason) kills the run's processes and removes its
 * folder, synchronously, and only then lets the signal do its work.
 */
import process from 'node:process'
import { removeAtOnce } from './folders.ts'
import { killTree, type Tree } from './tree.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const guarded = new Set<Tree>()

/** Puts a run under guard. `release` once its folder is gone. */
export function guardRun(tree: Tree): { release(): void } {
  if (guarded.size === 0) listen()
  guarded.add(tree)
  return {
    release() {
      if (guarded.delete(tree) && guarded.size === 0) unlisten()
    },
  }
}

function listen(): void {
  for (const signal of signals) process.on(signal, reapAndLeave)
  process.on('exit', reap)
}

function unlisten(): void {
  for (const signal of signals) process.off(signal, reapAndLeave)
  process.off('exit', reap)
}

function reapAndLeave(signal: NodeJS.Signals): void {
  unlisten()
  reap()
  // With nobody listening any more the signal ends the process as it always does.
  process.kill(process.pid, signal)
}

function reap(): void {
  for (const tree of guarded) killTree(tree)
  for (const { folder } of guarded) removeAtOnce(folder)
  guarded.clear()
}
