import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { SettingsView } from '#contract/settings.ts'
import { Field } from '#web/ui/field.tsx'
import { Check, Group, Select } from '#web/ui/form.tsx'
import { changeSettings, settingsState } from './settings-state.ts'

interface GeneralFieldsProps {
  settings: SettingsView
  /** The program that runs commands with its arguments, as one line. */
  shell: string
  /** The editor of the rules for everybody. */
  rules: ReactNode
}

/** Sign-up, rules, shell and branding. */
export function GeneralFields({ settings, shell, rules }: GeneralFieldsProps) {
  const { t } = useLingui()
  const { branding } = settings
  const brand = (change: Partial<SettingsView['branding']>) =>
    changeSettings({ branding: { ...branding, ...change } })
  return (
    <>
      <Group label={t`Accounts`}>
        <Check
          label={t`Allow users to sign up`}
          checked={settings.signup}
          onChange={(signup) => changeSettings({ signup })}
        />
        <Check
          label={t`Make a home folder for every new user`}
          checked={settings.createUserDir}
          onChange={(createUserDir) => changeSettings({ createUserDir })}
        />
      </Group>
      <Group label={t`Rules for everybody`}>{rules}</Group>
      <Field
        label={t`Execute on shell`}
        placeholder="bash -c, cmd /c"
        spellCheck={false}
        autoCapitalize="none"
        value={shell}
        onChange={(event) => {
          if (settingsState.draft) settingsState.draft.shell = event.target.value
        }}
      />
      <Group label={t`Branding`}>
        <Check
          label={t`Disable external links (except documentation)`}
          checked={branding.disableExternal}
          onChange={(disableExternal) => brand({ disableExternal })}
        />
        <Select
          label={t`Theme`}
          value={branding.theme}
          onChange={(theme) => brand({ theme: theme as typeof branding.theme })}
          choices={[
            ['', t`As the device`],
            ['light', t`Light`],
            ['dark', t`Dark`],
          ]}
        />
        <Field
          label={t`Instance name`}
          value={branding.name}
          maxLength={200}
          onChange={(event) => brand({ name: event.target.value })}
        />
        <Field
          label={t`Branding directory path`}
          value={branding.files}
          spellCheck={false}
          onChange={(event) => brand({ files: event.target.value })}
        />
      </Group>
    </>
  )
}
