/**
 * The ten statuses and what each says to a reader, in English and Chinese.
 *
 * The Chinese texts are those of seed `000_…`, exact. No message names a
 * percentage or promises what comes next: how many steps an agent still has
 * is not known.
 */

export const statuses = [
  'running',
  'waiting',
  'cancelling',
  'cancelled',
  'failed',
  'incomplete',
  'unknown',
  'checking',
  'rejected',
  'done',
] as const

/** What a screen may claim; always derived from the evidence, never stored. */
export type Status = (typeof statuses)[number]

export type Lang = 'en' | 'zh'

export const messages: Readonly<Record<Lang, Readonly<Record<Status, string>>>> = {
  en: {
    running: 'Working; not finished yet',
    waiting: 'Waiting for approval; the task is not finished',
    cancelling: 'Cancellation requested; waiting for confirmation that the run has ended',
    cancelled: 'Cancelled; effects of tools that already ran must be checked separately',
    failed: 'The run failed; the task is not finished',
    incomplete: 'The response was not generated in full; the task is not finished',
    unknown: 'Not enough evidence of completion; check the result of the run',
    checking: 'The run has ended; waiting for acceptance by the application',
    rejected: 'The run has ended; the application did not accept the result',
    done: 'Done: the run has ended and the local acceptance check passed',
  },
  zh: {
    running: '正在处理，尚未完成',
    waiting: '等待批准，任务尚未完成',
    cancelling: '已请求取消，正在等待结束确认',
    cancelled: '已取消；已发生的工具效果需另行核对',
    failed: '运行失败，任务未完成',
    incomplete: '响应未完整生成，任务未完成',
    unknown: '完成证据不足，请核对运行结果',
    checking: '运行已结束，等待应用验收',
    rejected: '运行已结束，应用验收未通过',
    done: '已完成：运行结束且本地验收通过',
  },
}

/** @throws TypeError on a language or status that is not in the tables. */
export function messageFor(status: Status, lang: Lang = 'en'): string {
  if (!Object.hasOwn(messages, lang) || !Object.hasOwn(messages[lang], status)) {
    throw new TypeError(`no message for ${status} in ${lang}: languages are en and zh`)
  }
  return messages[lang][status]
}
