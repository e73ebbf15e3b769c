import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import type { ShareView } from '#contract/shares.ts'
import { ApiProblem } from '#web/api/client.ts'
import { codeOf, fieldOf, problemText } from '#web/api/problems/problem-text.ts'
import type { AskProps } from '#web/overlays/ask.ts'
import { session } from '#web/shared/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'
import { ChangeLink } from './change-link.tsx'
import { DialogLink } from './dialog-link.tsx'
import { newDraft } from './form/draft.ts'
import { LinkForm } from './form/link-form.tsx'
import styles from './share-dialog.module.css'
import { changeShare, createShare, deleteShare, type LinkChange, sharesOf } from './share-state.ts'

interface Question {
  name: string
  /** Decoded. */
  path: string
  isDir: boolean
}

/** Lists the shares of one file or folder and creates new ones. */
export function ShareDialog({ question, close }: AskProps<Question, never>) {
  const { t, i18n } = useLingui()
  const { path, isDir } = question
  const name = shownName(question.name)
  const [links, setLinks] = useState<readonly ShareView[]>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [created, setCreated] = useState<string>()
  const [changed, setChanged] = useState<ShareView>()
  const [refused, setRefused] = useState<ApiProblem>()
  /** Counts the requests for the list. A slow answer must not hide what was created since. */
  const requests = useRef(0)
  const load = async () => {
    const number = ++requests.current
    const now = await sharesOf(path)
    if (number !== requests.current) return
    setLinks(now)
    setError(undefined)
  }
  const fail = (reason: unknown) => {
    setError(i18n._(problemText(codeOf(reason))))
    setLinks((before) => before ?? [])
  }
  const attempt = async (task: () => Promise<unknown>, done?: string) => {
    setBusy(true)
    try {
      await task()
      if (done) showToast('success', done)
      await load()
      return true
    } catch (reason) {
      if (reason instanceof ApiProblem && fieldOf(reason)) setRefused(reason)
      else fail(reason)
      return false
    } finally {
      setBusy(false)
    }
  }
  const pause = (hash: string, paused: boolean) =>
    attempt(() => changeShare(hash, { paused }), paused ? t`Link paused.` : t`Link resumed.`)
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads the shares once; every change reloads them.
  useEffect(() => {
    // The form can be used meanwhile.
    load().catch(fail)
  }, [path])
  if (changed)
    return (
      <Dialog title={t`Change the link to “${name}”`} onClose={close}>
        <ChangeLink
          link={changed}
          isDir={isDir}
          onEnd={(after) => {
            setChanged(undefined)
            if (after) load().catch(fail)
          }}
        />
      </Dialog>
    )
  return (
    <Dialog title={t`Share “${name}”`} onClose={close}>
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
        draft={newDraft}
        isDir={isDir}
        refused={refused}
        helpFor={(change) =>
          isKnown(change) ? t`A permanent link already exists. A second one needs a password.` : undefined
        }
        onSave={async (change, draft) => {
          if (!isReady(change)) return undefined
          const isDone = await attempt(async () => setCreated(await createShare(path, change)))
          // The next link begins with the same rights and expiry, and with nothing else that belongs to this one.
          return isDone
            ? { ...newDraft, rights: draft.rights, lifetime: draft.lifetime, lastDay: draft.lastDay }
            : undefined
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
    if (!change || Object.keys(change).some((name) => name !== 'rights')) return false
    const { rights = 'download' } = change
    return links?.some((link) => link.rights === rights && isOwnPermanent(link)) ?? false
  }

  /** Whether a press creates a link. While a request runs, it would create a second one. */
  function isReady(change: LinkChange | undefined): change is LinkChange {
    if (isBusy || !change || isKnown(change)) return false
    // Until the existing links are known, a permanent one may be among them.
    return links !== undefined || change.expires !== undefined
  }
}

/** The conditions that make a permanent link one of its own. */
const conditions = [
  'starts',
  'maxDownloads',
  'maxVisitors',
  'maxFiles',
  'maxFileSize',
  'maxBytes',
  'types',
  'slug',
  'title',
  'message',
  'askName',
  'paused',
] as const

function isOwnPermanent(link: ShareView): boolean {
  const isPlain = conditions.every((name) => link[name] === undefined)
  return isPlain && link.expire === 0 && !link.hasPassword && link.userID === session.user?.id
}
