import { useLingui } from '@lingui/react/macro'
import type { TrashItem } from '#contract/history/kept.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { LaterDialog, LaterDialogButtons } from '#web/overlays/later-dialog.tsx'
import { KeptContent } from '#web/shared/kept/kept-content.tsx'
import { parentOf } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import styles from '#web/ui/facts.module.css'
import { formatDate } from '#web/ui/format/format.ts'
import { shownName } from '#web/ui/format/shown-name.ts'
import { TrashSize } from './trash-row.tsx'
import { type TrashVerb, verbTexts } from './trash-verbs.ts'

interface Question {
  item: TrashItem
  verbs: readonly TrashVerb[]
}

/** Shows an entry of the trash with a preview. Returns what to do with it. */
export function TrashItemDialog({ question: { item, verbs }, close }: AskProps<Question, TrashVerb>) {
  const { t, i18n } = useLingui()
  const date = (time: string) => formatDate(Date.parse(time), i18n.locale)
  const facts = [
    [t`Original location`, <bdi key="place">{shownName(parentOf(item.path))}</bdi>],
    [t({ message: 'Deleted', context: 'time of deletion' }), date(item.deleted)],
    [t`Deleted by`, <bdi key="by">{item.by || t`a removed user`}</bdi>],
    [t`Size`, <TrashSize key="size" size={item.size} />],
    [t`Last modified`, date(item.modified)],
  ] as const
  const mayRead = session.user?.perm.download && !item.isDir
  // The most likely button comes last.
  const order: readonly TrashVerb[] = ['delete', 'download', 'restore-to', 'restore']
  return (
    <LaterDialog title={shownName(item.name)} isWide onClose={close}>
      {mayRead && <KeptContent source={{ trash: item.id }} name={item.name} type={item.type} />}
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <LaterDialogButtons>
        {order
          .filter((verb) => verbs.includes(verb))
          .map((verb) => (
            <Button
              key={verb}
              variant={verb === 'restore' ? 'main' : 'plain'}
              label={i18n._(verbTexts[verb].label)}
              autoFocus={verb === 'restore'}
              data-danger={verb === 'delete' || undefined}
              onClick={() => close(verb)}
            />
          ))}
        {verbs.length < 2 && <Button label={t`Close`} onClick={() => close()} autoFocus />}
      </LaterDialogButtons>
    </LaterDialog>
  )
}
