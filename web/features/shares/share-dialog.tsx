import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { ShareView } from '#contract/shares.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'
import { ChangeLink } from './change-link.tsx'
import { DialogLink } from './dialog-link.tsx'
import { LinkForm } from './form/link-form.tsx'
import { firstDraft } from './form/policy.ts'
import styles from './share-dialog.module.css'
import {
  changeShare,
  commonFolder,
  createShare,
  deleteShare,
  folderOf,
  type LinkChange,
  type Target,
} from './share-state.ts'
import { useLinks } from './use-links.ts'

interface Question {
  /** What is shared: one item, or several with one link. Paths are decoded. */
  items: readonly { name: string; path: string; isDir: boolean }[]
}

/** Lists the links to one file or folder, or to several together, and creates new ones. */
export function ShareDialog({ question: { items }, close }: AskProps<Question, never>) {
  const { t } = useLingui()
  const [target] = useState(() => targetOf(items))
  const isSeveral = target.paths !== undefined
  const isDir = isSeveral || items[0]?.isDir === true
  const name = isSeveral
    ? plural(items.length, { one: '# item', other: '# items' })
    : shownName(items[0]?.name ?? '')
  const { links, error, refused, isBusy, attempt, reload } = useLinks(target)
  const [created, setCreated] = useState<string>()
  const [changed, setChanged] = useState<ShareView>()
  const pause = (hash: string, paused: boolean) =>
    attempt(() => changeShare(hash, { paused }), paused ? t`Link paused.` : t`Link resumed.`)
  if (changed)
    return (
      <Dialog
        title={isSeveral ? t`Change the link to ${name}` : t`Change the link to “${name}”`}
        onClose={close}
      >
        <ChangeLink
          link={changed}
          isDir={isDir}
          onEnd={(after) => {
            setChanged(undefined)
            if (after) reload()
          }}
        />
      </Dialog>
    )
  return (
    <Dialog title={isSeveral ? t`Share ${name}` : t`Share “${name}”`} onClose={close}>
      {links && links.length > 0 && (
        <ul className={styles.links}>
          {links.map((link) => (
            <DialogLink
              key={link.hash}
              link={link}
              isNew={link.hash === created}
              onPause={(isPaused) => pause(link.hash, isPaused)}
              onChange={() => setChanged(link)}
              onEnd={() => attempt(() => deleteShare(link.hash), t`Link deleted.`)}
            />
          ))}
        </ul>
      )}
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
      <LinkForm
        draft={firstDraft()}
        isDir={isDir}
        isSeveral={isSeveral}
        folder={folderOf({ path: target.path, isDir })}
        refused={refused}
        helpFor={(change) =>
          isKnown(change) ? t`A permanent link already exists. A second one needs a password.` : undefined
        }
        onSave={async (change, { rights, lifetime, lastDay, length, lengthUnit }) => {
          if (!isReady(change)) return undefined
          const isDone = await attempt(async () => setCreated(await createShare(target, change)))
          // The next link begins with the same rights and expiry, and with nothing else that belongs to this one.
          return isDone ? { ...firstDraft(), rights, lifetime, lastDay, length, lengthUnit } : undefined
        }}
        buttons={(change) => (
          <div className={styles.create}>
            <Button type="submit" variant="main" label={t`Create link`} isInactive={!isReady(change)} />
          </div>
        )}
      />
      <DialogButtons>
        <Button label={t`Close`} onClick={() => close()} />
      </DialogButtons>
    </Dialog>
  )

  /** The user already has this link. The server would return it again. */
  function isKnown(change: LinkChange | undefined): boolean {
    // The server does so only for a single item.
    if (isSeveral || !change || Object.keys(change).some((name) => name !== 'rights')) return false
    const { rights = 'download' } = change
    return links?.some((link) => link.rights === rights && isOwnPermanent(link)) ?? false
  }

  /** Whether a press creates a link. While a request runs, it would create a second one. */
  function isReady(change: LinkChange | undefined): change is LinkChange {
    if (isBusy || !change || isKnown(change)) return false
    // Until the existing links are known, a permanent one may be among them.
    return isSeveral || links !== undefined || change.expires !== undefined
  }
}

function targetOf(items: Question['items']): Target {
  const [first, second] = items
  if (!second) return { path: first?.path ?? '/', paths: undefined }
  const paths = items.map(({ path }) => path)
  return { path: commonFolder(paths), paths }
}

/** The conditions that make a permanent link one of its own. */
const conditions = [
  ...(['starts', 'maxDownloads', 'maxVisitors', 'maxFiles', 'maxFileSize', 'maxBytes', 'types'] as const),
  ...(['slug', 'title', 'message', 'askName', 'paused', 'rate', 'from', 'look', 'notify'] as const),
  ...(['people', 'cover'] as const),
]

function isOwnPermanent(link: ShareView): boolean {
  const isPlain = conditions.every((name) => link[name] === undefined)
  return isPlain && link.expire === 0 && !link.hasPassword && link.userID === session.user?.id
}
