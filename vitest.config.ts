import { defineConfig } from 'vitest/config'

// Tests import packages by name and get their sources: the condition
// `@runproof/source` is in every package's exports. Tests that spawn a
// bin use the built one, so `npm test` builds first.
export default defineConfig({
  resolve: { conditions: ['@runproof/source'] },
  ssr: { resolve: { conditions: ['@runproof/source'] } },
  test: {
    testTimeout: 30_000,
    // By default vitest leaves one core idle; most of our time is spent waiting for processes.
    maxWorkers: '100%',
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['packages/{sse,progress,llm,session-log,replay}/test/**/*.test.ts'],
          // These keep no state in modules: one process a worker instead of one a file.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['packages/{agent,runproof}/test/**/*.test.ts', 'test/**/*.test.ts'],
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/{sse,progress,llm,session-log,replay}/src/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: {
        'packages/sse/src/**': { lines: 95 },
        'packages/progress/src/**': { lines: 95 },
        'packages/llm/src/**': { lines: 95 },
        'packages/session-log/src/**': { lines: 95 },
        'packages/replay/src/**': { lines: 95 },
      },
    },
  },
})
