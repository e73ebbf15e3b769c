import { Trans, useLingui } from '@lingui/react/macro'
import { Clock, RotateCw, ShieldAlert, ShieldQuestionMark } from 'lucide-react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { HeldView } from '#contract/history/held.ts'
import { ask } from '#web/overlays/ask.ts'
import { submitForm } from '#web/shared/forms/submit.ts'
import { parentOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card, Hint } from '#web/ui/form.tsx'
import { formatDate, formatNumber, formatSize } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { lineList, useLines } from '#web/ui/line-list.tsx'
import styles from './held.module.css'
import { DeleteHeldDialog, ReleaseHeldDialog } from './held-dialogs.tsx'
import { deleteHeld, forgetHeld, heldState, loadHeld, releaseHeld } from './held-state.ts'

/** Number of files shown at first and added by each press of the button. */
const step = 100

/** The files that are held back because of the virus scanner, with buttons to delete and to release them. */
export function HeldPage() {
  const { t, i18n } = useLingui()
  const { card } = useSettingTexts()
  const { list, failure } = useSnapshot(heldState)
  const [limit, setLimit] = useState(step)
  const { ref, removeLine } = useLines(list?.length ?? 0)
  useEffect(() => {
    forgetHeld()
    void loadHeld()
  }, [])
  if (!list) return null
  const hidden = formatNumber(list.length - limit, i18n.locale)
  return (
    <Card {...card('held.list')}>
      <Hint>
        {t`These files have arrived, but nobody can open them. They become visible when the virus scanner has passed them.`}
      </Hint>
      {failure && <p role="alert">{failure}</p>}
      {!failure && list.length === 0 && <p role="status">{t`No files are held back.`}</p>}
      <ul ref={ref} className={lineList.list}>
        {list.slice(0, limit).map((file, at) => (
          <HeldLine
            key={file.id}
            file={file}
            onEnd={(message, work) => removeLine(at, () => submitForm(message, work))}
          />
        ))}
      </ul>
      <Buttons>
        {list.length > limit && (
          <Button label={t`Show more (${hidden})`} onClick={() => setLimit(limit + step)} />
        )}
        <Button icon={RotateCw} label={t`Reload`} onClick={loadHeld} />
      </Buttons>
    </Card>
  )
}

const icons = { infected: ShieldAlert, waiting: Clock, unscannable: ShieldQuestionMark } as const

interface HeldLineProps {
  file: HeldView
  /** Runs what removes the line. */
  onEnd(message: string, work: (proof: object) => Promise<void>): Promise<boolean>
}

function HeldLine({ file, onEnd }: HeldLineProps) {
  const { t } = useLingui()
  const { id, name, state } = file
  const label = useId()
  const Icon = icons[state]
  const remove = async () => {
    if (await ask(DeleteHeldDialog, { file })) await onEnd(t`File deleted.`, () => deleteHeld(id))
  }
  const release = async () => {
    if (await ask(ReleaseHeldDialog, { file }))
      await onEnd(t`File released.`, (proof) => releaseHeld(id, proof))
  }
  return (
    <li className={styles.line}>
      <Icon size={20} strokeWidth={1.8} className={styles[state]} aria-hidden />
      <div>
        <p id={label} className={styles.name}>
          <bdi>{shownName(name)}</bdi>
        </p>
        <p>
          <State file={file} />
        </p>
        <p className={lineList.detail}>
          <Facts file={file} />
        </p>
      </div>
      <span className={styles.tools}>
        {session.user?.perm.admin && (
          <Button variant="quiet" label={t`Release`} aria-describedby={label} onClick={release} />
        )}
        <Button variant="quiet" label={t`Delete`} aria-describedby={label} onClick={remove} />
      </span>
    </li>
  )
}

/** Why the file is held. The reason of the server is in English. */
function State({ file: { state, reason } }: Pick<HeldLineProps, 'file'>) {
  const text = (
    <bdi lang="en" className={styles.reason}>
      {reason}
    </bdi>
  )
  if (state === 'infected') return <Trans>Infected: {text}</Trans>
  if (state === 'unscannable') return <Trans>Can't be examined: {text}</Trans>
  return <Trans>Waiting: {text}</Trans>
}

/** Size, time, place and sender. */
function Facts({ file: { path, size, time, user, share, address } }: Pick<HeldLineProps, 'file'>) {
  const { t, i18n } = useLingui()
  const from = user || t`a deleted user`
  const facts: [key: string, fact: ReactNode][] = [
    ['size', formatSize(size, i18n.locale)],
    ['time', formatDate(Date.parse(time), i18n.locale)],
    ['from', share === undefined ? t`From ${from}` : t`From a visitor of a link of ${from}`],
    ['address', address && <bdi dir="ltr">{address}</bdi>],
    ['folder', path && <bdi>{shownName(parentOf(path))}</bdi>],
  ]
  const shown = facts.filter(([, fact]) => fact)
  return shown.map(([key, fact], n) => (
    <span key={key}>
      {n > 0 && ' · '}
      {fact}
    </span>
  ))
}
