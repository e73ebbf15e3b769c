import { useLingui } from '@lingui/react/macro'
import { Check, FolderOpen, FolderPlus, Info, type LucideIcon } from 'lucide-react'
import { useId } from 'react'
import type { HomePlace } from '#contract/settings.ts'
import { ask } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { lazy } from '#web/ui/lazy.tsx'
import styles from './folder-field.module.css'
import { useHome } from './use-home.ts'

const FolderPicker = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).FolderPicker)

interface FolderFieldProps {
  label: string
  help: string | undefined
  'data-setting': string
  /** The server's name of the value, as used in refusals. */
  valuePath: string
  /** A path in the served folder. */
  value: string
  placeholder?: string
  /** What the served folder as a whole means here. */
  whole: string
  /** What happens if the folder does not exist. Missing: it is created when it is needed. */
  missing?: string
  /** Shown instead of what is at the path. */
  note?: string | undefined
  onValue(path: string): void
}

/** A folder in the served folder: typed, or chosen in a tree. Tells below the field what is at the path. */
export function FolderField(props: FolderFieldProps) {
  const { value, whole, missing, note, onValue, ...rest } = props
  const { t } = useLingui()
  const id = useId()
  const target = useHome(value)
  const { error, Icon, text } = useStateText(target, props)
  const choose = async () => {
    const chosen = await ask(FolderPicker, { path: typeof target === 'object' ? target.path : '/' })
    if (chosen !== undefined) onValue(chosen)
  }
  return (
    <div className={styles.folder}>
      <Field
        {...rest}
        value={value}
        error={error}
        aria-describedby={`${id}s`}
        maxLength={4096}
        spellCheck={false}
        dir="ltr"
        autoCapitalize="none"
        onChange={(event) => onValue(event.target.value)}
      >
        <Button icon={FolderOpen} iconOnly label={t`Choose folder`} onClick={choose} />
      </Field>
      <p id={`${id}s`} role="status" className={styles.state}>
        {text && <Icon size={14} aria-hidden />}
        {text}
      </p>
    </div>
  )
}

interface StateText {
  error?: string
  Icon: LucideIcon
  text: string
}

/** What is at the path, as a sentence. */
function useStateText(
  target: HomePlace | 'invalid' | undefined,
  { whole, missing, note }: Pick<FolderFieldProps, 'whole' | 'missing' | 'note'>,
): StateText {
  const { t } = useLingui()
  if (note !== undefined) return { Icon: Info, text: note }
  if (target === undefined) return { Icon: Info, text: '' }
  const { kind, path } = target === 'invalid' ? { kind: target, path: '' } : target
  const all: Record<typeof kind, StateText> = {
    folder: path === '/' ? { Icon: Info, text: whole } : { Icon: Check, text: t`This folder exists.` },
    missing: {
      Icon: FolderPlus,
      text: missing ?? t`This folder does not exist yet. It will be created.`,
    },
    other: { Icon: Info, text: '', error: t`There is a file at this path. Choose a folder.` },
    outside: {
      Icon: Info,
      text: '',
      error: t`This path leads out of the served folder. Choose a folder inside it.`,
    },
    invalid: { Icon: Info, text: '', error: t`This is not a valid path.` },
  }
  return all[kind]
}
