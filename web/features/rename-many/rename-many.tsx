import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react'
import { problemText } from '#web/api/problems/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { LaterDialog, LaterDialogButtons } from '#web/overlays/later-dialog.tsx'
import { announceFiles, moveOf } from '#web/shared/changes.ts'
import { quoted, renamedText } from '#web/shared/undo/change-text.ts'
import { collectOperations, recordChange } from '#web/shared/undo/history.ts'
import { Button } from '#web/ui/button.tsx'
import { formatNumber } from '#web/ui/format/format.ts'
import { loadLater } from '#web/ui/loading/load-later.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { checkNames, type NamePair } from './check-names.ts'
import {
  firstRule,
  type NameRule,
  newNames,
  type Renamed,
  type TakenByName,
  withoutTaken,
} from './new-names.ts'
import { Preview } from './preview.tsx'
import { type RunResult, renameAll } from './rename-all.ts'
import styles from './rename-many.module.css'
import { renameSteps, type Step, temporaryNames } from './rename-order.ts'
import { replaceText } from './replace-text.ts'
import { RuleFields } from './rule-fields.tsx'
import { useTaken } from './use-taken.ts'

interface Question {
  /** Decoded, with a closing slash. */
  folder: string
  items: readonly Renamed[]
  /** The names of the folder's other items. */
  others: ReadonlySet<string>
}

/** Asks for a rule that gives several items new names, shows them, and renames. Returns the names of the items. */
export function RenameManyDialog({ question, close }: AskProps<Question, string[]>) {
  const { t } = useLingui()
  const [rule, setRule] = useState(firstRule)
  const [done, setDone] = useState<number>()
  const stop = useRef(new AbortController())
  const { taken, isReading } = useTaken(question.folder, rule)
  const { pairs, error } = useNewNames(question, rule, taken)
  const fallback = useMemo(() => withoutTaken(question.items, rule, taken), [question, rule, taken])
  const changes = pairs.filter(({ from, to }) => from !== to)
  const reason = error ?? (isReading ? t`Reading the dates…` : reasonNot(pairs))
  const isBusy = done !== undefined
  // A dialog that is closed from outside does not go on in secret.
  useEffect(() => () => stop.current.abort(), [])

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (reason !== undefined || isBusy) return
    setDone(0)
    close(await run(question, changes, stop.current.signal, setDone))
  }

  const leave = () => (isBusy ? stop.current.abort() : close())
  return (
    <LaterDialog
      title={plural(question.items.length, { one: 'Rename # item', other: 'Rename # items' })}
      isWide
      onClose={leave}
    >
      <form onSubmit={submit} className={styles.form}>
        <fieldset disabled={isBusy} className={styles.rule}>
          <RuleFields
            rule={rule}
            error={error}
            onChange={(change) => setRule((before) => ({ ...before, ...change }))}
          />
        </fieldset>
        <Preview pairs={pairs} withoutTaken={isReading ? noNames : fallback} />
        <p role="status" className={styles.reason}>
          {!isBusy && !error && (reason ?? fallbackText(fallback.size))}
        </p>
        {isBusy && <progress value={done} max={changes.length} aria-label={t`Progress`} />}
        <LaterDialogButtons>
          <Button label={isBusy ? t`Stop` : t`Cancel`} onClick={leave} />
          <Button
            type="submit"
            variant="main"
            label={plural(changes.length, { one: 'Rename # item', other: 'Rename # items' })}
            disabled={reason !== undefined || isBusy}
          />
        </LaterDialogButtons>
      </form>
    </LaterDialog>
  )
}

/** The new names, and why the pattern is invalid. The code for patterns is loaded when one is needed. */
function useNewNames(
  { items, others }: Question,
  rule: NameRule,
  taken: TakenByName,
): { pairs: NamePair[]; error?: string } {
  const [RE2JS, setPattern] = useState<Parameters<typeof replaceText>[1]>()
  useEffect(() => {
    if (!rule.isPattern) return
    loadLater(() => import('#web/app/chunks/later-patterns.ts')).then(
      (loaded) => setPattern(() => loaded.RE2JS),
      () => showToast('error', i18n._(problemText('network.lost'))),
    )
  }, [rule.isPattern])
  return useMemo(() => {
    const names = items.map(({ name }) => name)
    try {
      return {
        pairs: checkNames(names, newNames(items, rule, { replace: replaceText(rule, RE2JS), taken }), others),
      }
    } catch {
      return {
        pairs: checkNames(names, names, others),
        error: i18n._(msg`This regular expression is invalid.`),
      }
    }
  }, [items, others, rule, RE2JS, taken])
}

const noNames: ReadonlySet<string> = new Set()

/** How many items have no date taken; undefined if all have one. */
function fallbackText(count: number): string | undefined {
  if (count === 0) return undefined
  return plural(count, {
    one: '# item has no date taken and gets the date of its last change.',
    other: '# items have no date taken and get the date of their last change.',
  })
}

/** Why the names cannot be changed; undefined if they can. */
function reasonNot(pairs: readonly NamePair[]): string | undefined {
  const wrong = pairs.filter(({ error }) => error).length
  if (wrong > 0) return plural(wrong, { one: "# name can't be used.", other: "# names can't be used." })
  return pairs.every(({ from, to }) => from === to) ? i18n._(msg`No name changes.`) : undefined
}

/** Renames, records it as one change, and shows a refusal. Returns the names that the items have now. */
async function run(
  { folder, items, others }: Question,
  changes: readonly NamePair[],
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<string[]> {
  const taken = new Set([...others, ...items.map(({ name }) => name), ...changes.map(({ to }) => to)])
  const steps = renameSteps(changes, temporaryNames(taken))
  const { operations, onOperation } = collectOperations()
  const { done, refusal } = await renameAll({ folder, steps, signal, onOperation, onProgress })
  const names = namesAfter(changes, done)
  await announceFiles({
    folders: [folder],
    moved: done.map(({ from, to }) => moveOf(folder + from, folder + to)),
    results: names.map((name) => folder + name),
  })
  if (names.length > 0) recordChange({ text: doneText(changes, names), operations })
  showRefusal(refusal)
  return names
}

/** The new names of the items that have got them. */
function namesAfter(changes: readonly NamePair[], done: readonly Step[]): string[] {
  const reached = new Set(done.map(({ to }) => to))
  return changes.flatMap(({ to }) => (reached.has(to) ? to : []))
}

function doneText(changes: readonly NamePair[], names: readonly string[]): string {
  const [count, total] = [names.length, formatNumber(changes.length, i18n.locale)]
  if (count < changes.length)
    return i18n._(msg`Renamed ${formatNumber(count, i18n.locale)} of ${total} items`)
  const [first] = changes
  if (first && count === 1) return renamedText(first.from, first.to)
  return plural(count, { one: 'Renamed # item', other: 'Renamed # items' })
}

function showRefusal(refusal: RunResult['refusal']): void {
  if (refusal) showToast('error', i18n._(problemText(refusal.code)), `${quoted(refusal.name)}:`)
}
