/**
 * What each kind of `session/update` can prove.
 *
 * Follows ACP protocol version 1, stable and unstable kinds. The split in turn
 * and housekeeping is this project's: agents move housekeeping freely, also out
 * of a turn. Thoughts, plans, echoes of the user and compaction belong to a
 * turn but claim nothing about its progress.
 */
import { valueAt } from '../adapter.ts'
import type { ToolState } from '../transition.ts'

/** Kinds that are allowed outside a turn and never change a claim. */
export const housekeepingUpdates: readonly string[] = [
  'available_commands_update',
  'config_option_update',
  'current_mode_update',
  'notice',
  'session_info_update',
  'usage_update',
]

/** Kinds that a turn alone may send. Compaction may fall in or out of one and is in neither list. */
export const turnUpdates: readonly string[] = [
  'agent_message_chunk',
  'agent_thought_chunk',
  'plan',
  'plan_removed',
  'plan_update',
  'tool_call',
  'tool_call_update',
  'user_message_chunk',
]

/** Kinds of a turn that say nothing about how far it is. */
export const silentUpdates: ReadonlySet<string> = new Set([
  'agent_thought_chunk',
  'compaction_summary_chunk',
  'compaction_update',
  'plan',
  'plan_removed',
  'plan_update',
  'user_message_chunk',
])

const toolStates: ReadonlyMap<unknown, ToolState> = new Map([
  ['pending', 'requested'],
  ['in_progress', 'running'],
  ['completed', 'returned'],
  ['failed', 'failed'],
] as const)

/** The state of a call: null when the update leaves it as it is, undefined for a status ACP has not. */
export function toolStateOf(update: unknown): ToolState | null | undefined {
  const status = valueAt(update, 'status')
  return status === undefined || status === null ? null : toolStates.get(status)
}

/**
 * Whether a call says that its work goes on after it returns. Protocol version
 * 1 has no field for it; these are the arguments of agents' own shell and task
 * tools (Claude Code; Gemini CLI and Qwen Code).
 */
export function isBackgroundCall(update: unknown): boolean {
  return ['run_in_background', 'is_background'].some(
    (name) => valueAt(update, 'rawInput', name) === true,
  )
}
