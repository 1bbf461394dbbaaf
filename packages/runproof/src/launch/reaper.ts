/**
 * Nothing survives Ctrl-C: while an agent runs, a signal to the harness (or its
 * end for any other reason) kills every process tree and removes every folder,
 * synchronously, and only then lets the signal do its work.
 */
import { rmSync } from 'node:fs'
import process from 'node:process'
import { signalTree, type Tree } from './tree.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A tree may fork while it is listed; a second pass finds what the first one missed. */
const passes = 2

const trees = new Set<Tree>()

/** Puts a tree under guard until `release`. */
export function guardTree(tree: Tree): { release(): void } {
  if (trees.size === 0) listen()
  trees.add(tree)
  return {
    release() {
      if (trees.delete(tree) && trees.size === 0) unlisten()
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
  for (const tree of trees) {
    for (let pass = 0; pass < passes; pass++) signalTree(tree, 'SIGKILL')
  }
  for (const { folder } of trees) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  trees.clear()
}
