import { useLingui } from '@lingui/react/macro'
import { type ComponentType, type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { AuditSettings } from '#contract/history/audit.ts'
import type { KeepingSettings } from '#contract/history/kept.ts'
import type { StaticGen } from '#contract/publish.ts'
import type { SettingsView } from '#contract/settings.ts'
import type { Rule } from '#contract/users.ts'
import type { ApiProblem } from '#web/api/client.ts'
import { ask } from '#web/overlays/ask.ts'
import { FormWithErrors } from '#web/shared/forms/form-errors.tsx'
import { submitForm } from '#web/shared/forms/submit.ts'
import { useUnsavedChanges } from '#web/shared/forms/unsaved.ts'
import type { UserDraft } from '#web/shared/forms/user-draft.ts'
import { Button } from '#web/ui/button.tsx'
import { Buttons, Card } from '#web/ui/form.tsx'
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
    footer: ReactNode
  }>
  RulesEditor: ComponentType<{ rules: readonly Rule[]; onChange(rules: Rule[]): void }>
  KeepingCard: ComponentType<{
    keeping: KeepingSettings
    onChange(change: Partial<KeepingSettings>): void
    footer: ReactNode
  }>
  AuditCard: ComponentType<{
    audit: AuditSettings | undefined
    onChange(audit: AuditSettings): void
    footer: ReactNode
  }>
}

/** The settings of the instance: cards, each with a button that saves all settings. */
export function GlobalPage(props: GlobalPageProps) {
  const { UserFields, WebsiteCard, RulesEditor, KeepingCard, AuditCard } = props
  const { t } = useLingui()
  const { draft } = useSnapshot(settingsState)
  const [busy, setBusy] = useState(false)
  const [task, setTask] = useState<{ name: string | null; work: Promise<boolean> }>()
  const [refused, setRefused] = useState<ApiProblem>()
  useEffect(() => void loadSettings(), [])
  const save = async (success: string) => {
    if (!(await mayOpenRoot())) return false
    setBusy(true)
    setRefused(undefined)
    const isDone = await submitForm(success, saveSettings, setRefused)
    setBusy(false)
    if (isDone) markSaved(draft)
    if (isDone && settingsState.isBrandingOutdated) reloadPageSoon()
    return isDone
  }
  const markSaved = useUnsavedChanges({
    name: t`Global settings`,
    draft,
    save: () => save(t`Settings updated!`),
  })
  if (!draft) return null
  const { keeping, audit } = draft.settings
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { submitter } = event.nativeEvent as SubmitEvent
    const name = submitter?.getAttribute('name') ?? null
    const work = save(name === 'commands' ? t`Commands updated!` : t`Settings updated!`)
    setTask({ name, work })
  }
  const update = (name: string) => (
    <Buttons>
      <Button
        type="submit"
        variant="main"
        label={t`Update`}
        name={name}
        isInactive={busy}
        task={task?.name === name ? task.work : undefined}
      />
    </Buttons>
  )
  return (
    <FormWithErrors refused={refused} onSubmit={submit} onChange={() => setRefused(undefined)}>
      <Card title={t`General`}>
        <GeneralFields
          // A snapshot has the same content, but is read-only.
          settings={draft.settings as SettingsView}
          shell={draft.shell}
          isRootOpen={givesRootAccess({
            settings: draft.settings as SettingsView,
            defaults: draft.defaults as UserDraft,
          })}
          rules={
            <RulesEditor
              rules={draft.settings.rules as Rule[]}
              onChange={(rules) => changeSettings({ rules })}
            />
          }
        />
        {update('general')}
      </Card>
      {draft.settings.staticGen && (
        <WebsiteCard
          site={draft.settings.staticGen as StaticGen}
          args={draft.siteArgs}
          onChange={changeSite}
          onArgs={(siteArgs) => Object.assign(settingsState.draft ?? {}, { siteArgs })}
          footer={update('website')}
        />
      )}
      {keeping && (
        <KeepingCard
          keeping={keeping as KeepingSettings}
          onChange={(change) => changeSettings({ keeping: { ...(keeping as KeepingSettings), ...change } })}
          footer={update('keeping')}
        />
      )}
      <AuditCard audit={audit} onChange={(audit) => changeSettings({ audit })} footer={update('audit')} />
      <Card title={t`User default settings`}>
        <p>{t`New users start with these settings.`}</p>
        <UserFields
          isDefaults
          draft={draft.defaults as UserDraft}
          onChange={(change) => Object.assign(settingsState.draft?.defaults ?? {}, change)}
        />
        {update('defaults')}
      </Card>
      <CommandsCard lines={draft.commands} hasShell={draft.shell.trim() !== ''} footer={update('commands')} />
    </FormWithErrors>
  )
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
