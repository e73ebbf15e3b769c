import { useLingui } from '@lingui/react/macro'
import { ChevronRight } from 'lucide-react'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { ShareRights, ShareView } from '#contract/shares.ts'
import type { ApiProblem } from '#web/api/client.ts'
import { FormWithErrors } from '#web/shared/forms/form-errors.tsx'
import { PasswordField } from '#web/ui/fields/password-field.tsx'
import { Check, Select } from '#web/ui/form.tsx'
import type { LinkChange } from '../share-state.ts'
import { changeOf, type Draft } from './draft.ts'
import { LifetimeFields } from './lifetime-fields.tsx'
import styles from './link-form.module.css'
import { MoreOptions } from './more-options.tsx'
import { allowsRights, needsPassword } from './policy.ts'
import { receives, rightsHelp, rightsNames } from './rights.ts'

interface LinkFormProps {
  /** The fields at first. */
  draft: Draft
  /** The link that is changed; undefined: a new one. */
  link?: ShareView
  /** It is a folder. A file receives no others. */
  isDir: boolean
  /** Several items are shared. Visitors can only see or download them. */
  isSeveral?: boolean
  /** Where a cover picture is chosen first, with a slash at its end; undefined: its path must be typed. */
  folder: string | undefined
  /** A sentence below the expiry, for values that make no sense. */
  helpFor?(change: LinkChange | undefined): string | undefined
  /** The refusal of the server. */
  refused: ApiProblem | undefined
  /** Saves. Returns the next fields, or undefined if these stay. */
  onSave(change: LinkChange, draft: Draft): Promise<Draft | undefined>
  /** The buttons, for these values; undefined while the last day or the start is not right. */
  buttons(change: LinkChange | undefined): ReactNode
}

/** The fields of a link: what it allows, its expiry, its password, and more options. */
export function LinkForm(props: LinkFormProps) {
  const { link, isDir, isSeveral = false, folder, helpFor, refused, onSave, buttons, ...rest } = props
  const { t, i18n } = useLingui()
  const [draft, setDraft] = useState(rest.draft)
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const change = changeOf(draft, link)
  const help = rightsHelp[draft.rights]
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    // The dialog may have been open for a while: the rest of a day is shorter, or the day is over.
    const now = changeOf(draft, link)
    if (!now) return set({})
    const next = await onSave(now, draft)
    if (next) setDraft(next)
  }
  return (
    <FormWithErrors refused={refused} onSubmit={submit} className={styles.form}>
      <Select<ShareRights>
        label={t`What visitors can do`}
        value={draft.rights}
        choices={rightsNames
          .filter(([rights]) => rights === link?.rights || isOffered(rights, { isDir, isSeveral }))
          .map(([rights, name]) => [rights, i18n._(name)])}
        help={[help && i18n._(help), !allowsRights('upload') && t`Uploads with links are turned off here.`]
          .filter(Boolean)
          .join(' ')}
        onChange={(rights) => set({ rights })}
      />
      <LifetimeFields draft={draft} link={link} help={helpFor?.(change)} onChange={set} />
      <Password draft={draft} link={link} onChange={set} />
      <More>
        <MoreOptions
          draft={draft}
          folder={folder}
          isOpen={!draft.password && !(link?.hasPassword && !draft.isOpened)}
          onChange={set}
        />
      </More>
      {buttons(change)}
    </FormWithErrors>
  )
}

function isOffered(
  rights: ShareRights,
  { isDir, isSeveral }: { isDir: boolean; isSeveral: boolean },
): boolean {
  if (!allowsRights(rights)) return false
  return isSeveral ? !receives(rights) : isDir || rights === 'edit' || !receives(rights)
}

interface PartProps {
  draft: Draft
  link?: ShareView | undefined
  onChange(part: Partial<Draft>): void
}

function Password({ draft, link, onChange }: PartProps) {
  const { t } = useLingui()
  const isNeeded = needsPassword(draft)
  const help = link?.hasPassword
    ? t`Leave this empty to keep the password.`
    : isNeeded && t`Links need a password here, unless they are only for certain people.`
  return (
    <>
      {!draft.isOpened && (
        <PasswordField
          label={isNeeded ? t`Password` : t`Password (optional)`}
          required={isNeeded && !link?.hasPassword}
          value={draft.password}
          help={help || undefined}
          onChange={(event) => onChange({ password: event.target.value })}
          autoComplete="new-password"
          maxLength={1024}
        />
      )}
      {link?.hasPassword && !isNeeded && (
        <Check
          label={t`Remove the password`}
          checked={draft.isOpened}
          onChange={(isOpened) => onChange({ isOpened, password: '' })}
        />
      )}
    </>
  )
}

/** What is closed at first. */
function More({ children }: { children: ReactNode }) {
  const { t } = useLingui()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className={styles.more}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight size={16} aria-hidden />
        {t`More options`}
      </button>
      {isOpen && (
        <div id={id} className={styles.options}>
          {children}
        </div>
      )}
    </>
  )
}
