import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { CircleCheck, CircleX, Copy, Info, TriangleAlert } from 'lucide-react'
import type { Finding } from '#contract/doctor.ts'
import { copyText } from '#web/shared/copy-text.ts'
import { Button } from '#web/ui/button.tsx'
import { lineList } from '#web/ui/line-list.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'
import styles from './doctor.module.css'

/** A finding as it is shown: in the language of the page, or in `lang`. */
export type ShownFinding = Readonly<Omit<Finding, 'lines'>> & {
  lines: readonly Readonly<Finding['lines'][number]>[]
  lang?: string
}

const icons = { error: CircleX, warning: TriangleAlert, advice: Info, ok: CircleCheck }
const colours = {
  error: 'var(--danger)',
  warning: 'var(--kind-folder)',
  advice: 'var(--accent)',
  ok: 'var(--good)',
}
const levels = { error: msg`Error`, warning: msg`Warning`, advice: msg`Advice`, ok: msg`In order` }
const places = {
  nginx: msg`nginx`,
  caddy: msg`Caddy`,
  traefik: msg`Traefik`,
  systemd: msg`systemd unit`,
  coffer: msg`Option of Coffer`,
  shell: msg`Command on the server`,
}

interface FindingLineProps {
  finding: ShownFinding
  /** Whether lines for this program are shown. */
  isShown(where: string): boolean
}

/** One finding with its level, and the lines to change. */
export function FindingLine({ finding: { level, text, lines, fix, lang }, isShown }: FindingLineProps) {
  const { t, i18n } = useLingui()
  const Icon = icons[level]
  return (
    <li className={styles.item}>
      <Icon size={20} strokeWidth={1.8} color={colours[level]} aria-hidden />
      <div>
        <p>
          <span className="visually-hidden">{i18n._(levels[level])}: </span>
          <span lang={lang} dir="auto">
            {text}
          </span>
        </p>
        {lines
          .filter(({ where }) => isShown(where))
          .map((line) => (
            <Line key={line.where} label={i18n._(places[line.where])} text={line.text} />
          ))}
        {fix && <Line label={t`Can be fixed automatically`} text="coffer doctor --fix" />}
      </div>
    </li>
  )
}

interface LineProps {
  label: string
  text: string
}

/** Lines of a configuration, with a button that copies them. */
function Line({ label, text }: LineProps) {
  const { t } = useLingui()
  const copy = async () => {
    const isDone = await copyText(text)
    if (isDone) showToast('success', t`Copied!`)
    else showToast('error', t`The text couldn't be copied.`)
    return isDone
  }
  return (
    <div className={styles.line}>
      <div>
        <p className={lineList.detail}>{label}</p>
        <pre dir="ltr">{text}</pre>
      </div>
      <Button variant="quiet" icon={Copy} iconOnly label={t`Copy`} onClick={copy} />
    </div>
  )
}
