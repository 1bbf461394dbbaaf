/**
 * Nothing survives Ctrl-C: a signal to the harness (or its end for any other
 * reason) first undoes, synchronously, what was put under guard, and only then
 * does its work. Of a run that is its processes and its folder.
 */
import process from 'node:process'
import { removeAtOnce } from './folders.ts'
import { killTree, type Tree } from './tree.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const guarded = new Set<() => void>()

/** Puts a run under guard. `release` once its folder is gone. */
export function guardRun(tree: Tree): { release(): void } {
  return undoOnLeaving(() => {
    killTree(tree)
    removeAtOnce(tree.folder)
  })
}

/** Calls `undo` when the harness is ended before `release`. It must not throw. */
export function undoOnLeaving(undo: () => void): { release(): void } {
  if (guarded.size === 0) listen()
  guarded.add(undo)
  return {
    release() {
      if (guarded.delete(undo) && guarded.size === 0) unlisten()
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
  for (const undo of guarded) undo()
  guarded.clear()
}
