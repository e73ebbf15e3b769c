import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { SettingsView } from '#contract/settings.ts'
import { FolderField } from '#web/shared/folders/folder-field.tsx'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Field } from '#web/ui/field.tsx'
import { Check, Group, Select, Warning } from '#web/ui/form.tsx'
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
  const { field, group } = useSettingTexts()
  const { branding } = settings
  const brand = (change: Partial<SettingsView['branding']>) =>
    changeSettings({ branding: { ...branding, ...change } })
  return (
    <>
      <AccountFields settings={settings} isRootOpen={isRootOpen} />
      <Group {...group('global.files')}>
        <ModeField
          at="fileMode"
          mode={settings.fileMode}
          onChange={(fileMode) => changeSettings({ fileMode })}
        />
        <ModeField at="dirMode" mode={settings.dirMode} onChange={(dirMode) => changeSettings({ dirMode })} />
      </Group>
      <Group {...group('global.rules')}>{rules}</Group>
      <Group {...group('global.branding')}>
        <Check
          {...field('global.disableExternal')}
          checked={branding.disableExternal}
          onChange={(disableExternal) => brand({ disableExternal })}
        />
        <Check
          {...field('global.disableUsedPercentage')}
          checked={branding.disableUsedPercentage}
          onChange={(disableUsedPercentage) => brand({ disableUsedPercentage })}
        />
        <Select
          {...field('global.theme')}
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
          {...field('global.name')}
          valuePath="branding.name"
          value={branding.name}
          maxLength={200}
          onChange={(event) => brand({ name: event.target.value })}
        />
        <Field
          {...field('global.color')}
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
          {...field('global.brandFiles')}
          valuePath="branding.files"
          value={branding.files}
          spellCheck={false}
          dir="ltr"
          autoCapitalize="none"
          onChange={(event) => brand({ files: event.target.value })}
        />
      </Group>
    </>
  )
}

function AccountFields({ settings, isRootOpen }: Pick<GeneralFieldsProps, 'settings' | 'isRootOpen'>) {
  const { t } = useLingui()
  const { field, group } = useSettingTexts()
  return (
    <Group {...group('global.accounts')}>
      <Check
        {...field('global.signup')}
        checked={settings.signup}
        onChange={(signup) => changeSettings({ signup })}
      />
      <Check
        {...field('global.createUserDir')}
        checked={settings.createUserDir}
        onChange={(createUserDir) => changeSettings({ createUserDir })}
      />
      {isRootOpen && (
        <Warning>
          <AllFilesText />
        </Warning>
      )}
      <Check
        {...field('global.hideLoginButton')}
        checked={settings.hideLoginButton}
        onChange={(hideLoginButton) => changeSettings({ hideLoginButton })}
      />
      <FolderField
        {...field('global.userHomeBasePath')}
        valuePath="userHomeBasePath"
        value={settings.userHomeBasePath}
        whole={t`Home folders are directly in the served folder.`}
        onValue={(userHomeBasePath) => changeSettings({ userHomeBasePath })}
      />
      <Field
        {...field('global.minimumPasswordLength')}
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
