import { useLingui } from '@lingui/react/macro'
import { type ComponentType, type FormEvent, useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { AuditSettings } from '#contract/history/audit.ts'
import type { KeepingSettings } from '#contract/history/kept.ts'
import type { StaticGen } from '#contract/publish.ts'
import type { SettingsView } from '#contract/settings.ts'
import type { SharingPolicy } from '#contract/shares.ts'
import type { Rule } from '#contract/users.ts'
import type { ApiProblem } from '#web/api/client.ts'
import { ask } from '#web/overlays/ask.ts'
import { Folded } from '#web/shared/forms/folded.tsx'
import { FormWithErrors } from '#web/shared/forms/form-errors.tsx'
import { SaveBar } from '#web/shared/forms/save-bar.tsx'
import { submitForm } from '#web/shared/forms/submit.ts'
import { useUnsavedChanges } from '#web/shared/forms/unsaved.ts'
import type { UserDraft } from '#web/shared/forms/user-draft.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Card } from '#web/ui/form.tsx'
import { lazy } from '#web/ui/lazy.tsx'
import { CommandsCard } from './commands-card.tsx'
import { GeneralFields } from './general-fields.tsx'
import {
  changeSettings,
  changeSite,
  givesRootAccess,
  loadSettings,
  reloadPageSoon,
  saveSettings,
  settingsState,
} from './settings-state.ts'

const OpenSignUpDialog = lazy(async () => (await import('#web/app/chunks/later-dialogs.ts')).OpenSignUpDialog)

interface GlobalPageProps {
  /** Components of other features. This feature must not import them. */
  UserFields: ComponentType<{
    draft: UserDraft
    onChange(change: Partial<UserDraft>): void
    isDefaults: true
  }>
  WebsiteCard: ComponentType<{
    site: StaticGen
    args: string
    onChange(change: Partial<StaticGen>): void
    onArgs(args: string): void
  }>
  RulesEditor: ComponentType<{ where: 'global'; rules: readonly Rule[]; onChange(rules: Rule[]): void }>
  KeepingCard: ComponentType<{
    keeping: KeepingSettings
    onChange(change: Partial<KeepingSettings>): void
  }>
  SharingCard: ComponentType<{
    sharing: SharingPolicy
    onChange(change: Partial<SharingPolicy>): void
  }>
  AuditCard: ComponentType<{
    audit: AuditSettings | undefined
    onChange(audit: AuditSettings): void
  }>
}

/** The settings of the instance: cards, and one bar that saves all of them. */
export function GlobalPage(props: GlobalPageProps) {
  const { UserFields, WebsiteCard, RulesEditor, KeepingCard, SharingCard, AuditCard } = props
  const { t } = useLingui()
  const { card } = useSettingTexts()
  const { draft } = useSnapshot(settingsState)
  const [busy, setBusy] = useState(false)
  const [task, setTask] = useState<Promise<boolean>>()
  const [refused, setRefused] = useState<ApiProblem>()
  useEffect(() => void loadSettings(), [])
  const { isChanged, keep } = useChanged(draft)
  const save = async () => {
    if (!(await mayOpenRoot())) return false
    setBusy(true)
    setRefused(undefined)
    const isDone = await submitForm(t`Settings updated!`, saveSettings, setRefused)
    setBusy(false)
    if (isDone) {
      markSaved(draft)
      keep(draft)
    }
    if (isDone && settingsState.isBrandingOutdated) reloadPageSoon()
    return isDone
  }
  const markSaved = useUnsavedChanges({
    name: t`Global settings`,
    draft,
    save,
  })
  if (!draft) return null
  const { keeping, sharing, audit } = draft.settings
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setTask(save())
  }
  return (
    <FormWithErrors refused={refused} onSubmit={submit} onChange={() => setRefused(undefined)}>
      <Card {...card('global.general')}>
        <GeneralFields
          // A snapshot has the same content, but is read-only.
          settings={draft.settings as SettingsView}
          isRootOpen={givesRootAccess({
            settings: draft.settings as SettingsView,
            defaults: draft.defaults as UserDraft,
          })}
          rules={
            <RulesEditor
              where="global"
              rules={draft.settings.rules as Rule[]}
              onChange={(rules) => changeSettings({ rules })}
            />
          }
        />
      </Card>
      {draft.settings.staticGen && (
        <WebsiteCard
          site={draft.settings.staticGen as StaticGen}
          args={draft.siteArgs}
          onChange={changeSite}
          onArgs={(siteArgs) => Object.assign(settingsState.draft ?? {}, { siteArgs })}
        />
      )}
      {keeping && (
        <KeepingCard
          keeping={keeping as KeepingSettings}
          onChange={(change) => changeSettings({ keeping: { ...(keeping as KeepingSettings), ...change } })}
        />
      )}
      {sharing && (
        <SharingCard
          sharing={sharing as SharingPolicy}
          onChange={(change) => changeSettings({ sharing: { ...(sharing as SharingPolicy), ...change } })}
        />
      )}
      <AuditCard audit={audit} onChange={(audit) => changeSettings({ audit })} />
      <Card {...card('defaults.fields')}>
        <p>{t`New users start with these settings.`}</p>
        <UserFields
          isDefaults
          draft={draft.defaults as UserDraft}
          onChange={(change) => Object.assign(settingsState.draft?.defaults ?? {}, change)}
        />
      </Card>
      <Folded title={t`Advanced`} isSection>
        <CommandsCard lines={draft.commands} shell={draft.shell} />
      </Folded>
      <SaveBar
        isChanged={isChanged}
        isBusy={busy}
        task={task}
        onDiscard={() => {
          setRefused(undefined)
          void loadSettings()
        }}
      />
    </FormWithErrors>
  )
}

/** Whether the draft differs from the loaded or saved one. `keep` makes it the saved one. */
function useChanged(draft: unknown): { isChanged: boolean; keep(saved: unknown): void } {
  const text = draft === undefined ? undefined : JSON.stringify(draft)
  const [saved, setSaved] = useState<string>()
  useEffect(() => {
    // The first draft after loading is the saved one.
    setSaved((before) => (text === undefined ? undefined : (before ?? text)))
  }, [text])
  return {
    isChanged: text !== undefined && saved !== undefined && text !== saved,
    keep: (now) => setSaved(JSON.stringify(now)),
  }
}

/**
 * Asks before the settings give new users access to all files, unless the saved settings already do. Returns whether to
 * save.
 */
async function mayOpenRoot(): Promise<boolean> {
  const { draft, isRootOpen } = settingsState
  if (!draft || isRootOpen || !givesRootAccess(draft)) return true
  return (await ask(OpenSignUpDialog, {})) === true
}
