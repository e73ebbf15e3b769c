import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import { readFolderMetadata } from '#web/api/metadata.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import type { NameRule, TakenByName } from './new-names.ts'

// The pause before the server reads further files, in milliseconds.
const pauseMs = 200

const nothing: TakenByName = new Map()

/** When the items of a folder were taken, read once the rule needs it. `isReading` is true until all are known. */
export function useTaken(folder: string, rule: NameRule): { taken: TakenByName; isReading: boolean } {
  const [taken, setTaken] = useState<TakenByName>()
  const isNeeded = rule.mode === 'date' && rule.date === 'taken'
  const mustRead = isNeeded && taken === undefined
  useEffect(() => {
    if (!mustRead) return
    const controller = new AbortController()
    const { signal } = controller
    readAll(folder, signal).then(
      (found) => signal.aborted || setTaken(found),
      (error: unknown) => {
        if (signal.aborted) return
        showToast('error', i18n._(problemText(codeOf(error))))
        // The preview says that no date is known.
        setTaken(nothing)
      },
    )
    return () => controller.abort()
  }, [folder, mustRead])
  return { taken: taken ?? nothing, isReading: mustRead }
}

async function readAll(folder: string, signal: AbortSignal): Promise<TakenByName> {
  for (;;) {
    const { items, complete } = await readFolderMetadata(folder, ['taken'], signal)
    if (complete || signal.aborted) return new Map(Object.entries(items))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
