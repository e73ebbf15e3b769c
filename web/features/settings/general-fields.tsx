import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { SettingsView } from '#contract/settings.ts'
import { Field } from '#web/ui/field.tsx'
import { Check, Group, Hint, Select, Warning } from '#web/ui/form.tsx'
import { AllFilesText } from './all-files-text.tsx'
import { ModeField } from './mode-field.tsx'
import { changeSettings } from './settings-state.ts'

interface GeneralFieldsProps {
  settings: SettingsView
  /** Whether new users would get access to all files. */
  isRootOpen: boolean
  /** The editor of the global rules. */
  rules: ReactNode
}

/** Sign-up, rules and branding. */
export function GeneralFields({ settings, isRootOpen, rules }: GeneralFieldsProps) {
  const { t } = useLingui()
  const { branding } = settings
  const brand = (change: Partial<SettingsView['branding']>) =>
    changeSettings({ branding: { ...branding, ...change } })
  return (
    <>
      <AccountFields settings={settings} isRootOpen={isRootOpen} />
      <Group label={t`Files`}>
        <ModeField
          label={t`Permissions for new files`}
          at="fileMode"
          mode={settings.fileMode}
          onChange={(fileMode) => changeSettings({ fileMode })}
        />
        <ModeField
          label={t`Permissions for new folders`}
          at="dirMode"
          mode={settings.dirMode}
          onChange={(dirMode) => changeSettings({ dirMode })}
        />
      </Group>
      <Group label={t`Global rules`}>{rules}</Group>
      <Group label={t`Branding`}>
        <Check
          label={t`Disable external links (except documentation)`}
          checked={branding.disableExternal}
          onChange={(disableExternal) => brand({ disableExternal })}
        />
        <Check
          label={t`Hide disk usage`}
          checked={branding.disableUsedPercentage}
          onChange={(disableUsedPercentage) => brand({ disableUsedPercentage })}
        />
        <Select
          label={t`Theme`}
          value={themeOf(branding)}
          onChange={(theme) =>
            brand({ theme: theme === 'dark' ? theme : '', followDevice: theme === 'auto' })
          }
          choices={[
            ['', t`Light`],
            ['dark', t`Dark`],
            ['auto', t`Match device`],
          ]}
        />
        <Field
          label={t`Instance name`}
          valuePath="branding.name"
          value={branding.name}
          maxLength={200}
          onChange={(event) => brand({ name: event.target.value })}
        />
        <Field
          label={t`Window color`}
          valuePath="branding.color"
          value={branding.color}
          placeholder="#0f6b62"
          pattern="#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,32}"
          title={t`Enter an English color name or a hex code such as #0f6b62`}
          spellCheck={false}
          dir="ltr"
          autoCapitalize="none"
          onChange={(event) => brand({ color: event.target.value.trim() })}
        />
        <Field
          label={t`Branding directory path`}
          valuePath="branding.files"
          value={branding.files}
          spellCheck={false}
          dir="ltr"
          autoCapitalize="none"
          onChange={(event) => brand({ files: event.target.value })}
        />
        <Hint>
          <Trans>
            A folder on the server with <code>custom.css</code>, <code>img/logo.svg</code> and{' '}
            <code>img/icons/</code>.
          </Trans>
        </Hint>
      </Group>
    </>
  )
}

function AccountFields({ settings, isRootOpen }: Pick<GeneralFieldsProps, 'settings' | 'isRootOpen'>) {
  const { t } = useLingui()
  return (
    <Group label={t`Accounts`}>
      <Check
        label={t`Allow users to sign up`}
        checked={settings.signup}
        onChange={(signup) => changeSettings({ signup })}
      />
      <Check
        label={t`Create a home folder for each new user`}
        checked={settings.createUserDir}
        onChange={(createUserDir) => changeSettings({ createUserDir })}
      />
      {isRootOpen && (
        <Warning>
          <AllFilesText />
        </Warning>
      )}
      <Check
        label={t`Hide the sign-in link on shared pages`}
        checked={settings.hideLoginButton}
        onChange={(hideLoginButton) => changeSettings({ hideLoginButton })}
      />
      <Field
        label={t`Parent folder for home folders`}
        valuePath="userHomeBasePath"
        value={settings.userHomeBasePath}
        maxLength={4096}
        spellCheck={false}
        dir="ltr"
        autoCapitalize="none"
        onChange={(event) => changeSettings({ userHomeBasePath: event.target.value })}
      />
      <Field
        label={t`Minimum password length`}
        valuePath="minimumPasswordLength"
        type="number"
        min={1}
        max={256}
        required
        value={settings.minimumPasswordLength || ''}
        onChange={(event) => changeSettings({ minimumPasswordLength: event.target.valueAsNumber || 0 })}
      />
    </Group>
  )
}

/** The selected theme. Some clients store `light` instead of an empty theme. */
function themeOf({ theme, followDevice }: SettingsView['branding']): string {
  if (theme === 'dark') return theme
  return theme === '' && followDevice ? 'auto' : ''
}
