import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { Preferences } from '#contract/users.ts'
import { announceChange } from '#web/shared/changes.ts'
import { LanguageSelect } from '#web/shared/forms/language-select.tsx'
import { SaveBar } from '#web/shared/forms/save-bar.tsx'
import { submitForm } from '#web/shared/forms/submit.ts'
import { useUnsavedChanges } from '#web/shared/forms/unsaved.ts'
import { activateLanguage } from '#web/shared/i18n.ts'
import { savePreferences } from '#web/shared/save-preferences.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Card, Select } from '#web/ui/form.tsx'
import { FilesCard } from './files-card.tsx'

type Switches =
  | 'singleClick'
  | 'dateFormat'
  | 'hideDotfiles'
  | 'redirectAfterCopyMove'
  | 'askBeforeTrash'
  | 'rememberViews'
type Edited = Pick<
  Preferences,
  'locale' | 'theme' | 'density' | 'sizeUnit' | 'dateStyle' | 'firstDay' | Switches
>

interface PreferencesFormProps {
  /** The saved preferences. The theme is missing when the token is older than this setting. */
  user: Omit<Edited, 'theme'> & { theme: Edited['theme'] | undefined }
}

/** The user's language, theme and view settings, which apply on every device. One bar saves all of them. */
export function PreferencesForm({ user }: PreferencesFormProps) {
  const { t } = useLingui()
  const { field, card } = useSettingTexts()
  const [draft, setDraft] = useState<Partial<Preferences>>({})
  const [task, setTask] = useState<Promise<boolean>>()
  const saved: Edited = {
    ...user,
    theme: user.theme ?? '',
    askBeforeTrash: user.askBeforeTrash ?? false,
    rememberViews: user.rememberViews ?? true,
  }
  const changes = changesOf(draft, saved)
  const change = (part: Partial<Preferences>) => setDraft({ ...draft, ...part })
  const save = async () => {
    const isDone = await submitForm(
      () => t`Settings updated!`,
      async () => {
        await savePreferences(changes)
        if (changes.locale !== undefined) await activateLanguage(changes.locale)
      },
    )
    // What was changed while it was being saved is still unsaved.
    if (isDone) setDraft((now) => changesOf(now, changes))
    // Hidden names change in every folder.
    if (isDone && changes.hideDotfiles !== undefined) announceChange(undefined)
    return isDone
  }
  useUnsavedChanges({ name: t`Profile settings`, draft: changes, save })
  const shown = { ...saved, ...changes }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTask(save())
  }
  return (
    <form onSubmit={submit}>
      <Card {...card('profile.languages')}>
        <LanguageSelect
          {...field('profile.locale')}
          value={shown.locale}
          onChange={(locale) => change({ locale: locale as Preferences['locale'] })}
        />
      </Card>
      <Card {...card('profile.themes')}>
        <Select<Preferences['theme']>
          {...field('profile.theme')}
          value={shown.theme}
          onChange={(theme) => change({ theme })}
          choices={[
            ['', t`Server default`],
            ['light', t`Light`],
            ['dark', t`Dark`],
            ['auto', t`Match device`],
          ]}
        />
      </Card>
      <FilesCard habits={shown} onChange={change} />
      <SaveBar
        isChanged={Object.keys(changes).length > 0}
        isBusy={false}
        task={task}
        onDiscard={() => setDraft({})}
      />
    </form>
  )
}

/** The values of `draft` that differ from the saved ones. */
function changesOf(draft: Partial<Preferences>, saved: Partial<Preferences>): Partial<Preferences> {
  const kept = new Map(Object.entries(saved))
  return Object.fromEntries(Object.entries(draft).filter(([name, value]) => value !== kept.get(name)))
}
