import { useLingui } from '@lingui/react/macro'
import type { StaticGen } from '#contract/publish.ts'
import { FolderField } from '#web/shared/folders/folder-field.tsx'
import { page } from '#web/shared/page.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { Field } from '#web/ui/field.tsx'
import { Card, Check, Hint } from '#web/ui/form.tsx'

interface WebsiteCardProps {
  site: StaticGen
  /** The arguments of the generator, as one line. */
  args: string
  onChange(change: Partial<StaticGen>): void
  onArgs(args: string): void
}

/** The website that users publish, and its generator. */
export function WebsiteCard({ site, args, onChange, onArgs }: WebsiteCardProps) {
  const { t } = useLingui()
  const { field, card } = useSettingTexts()
  const names = [
    ['Root', '/'],
    ['Public', '/public'],
  ] as const
  const plain = { spellCheck: false, dir: 'ltr', autoCapitalize: 'none' } as const
  return (
    <Card {...card('global.website')}>
      <Hint>{t`Both folders are in the served folder.`}</Hint>
      {names.map(([name, placeholder]) => (
        <FolderField
          key={name}
          {...field(`global.site${name}`)}
          valuePath={`staticGen.${name}`}
          placeholder={placeholder}
          value={site[name]}
          whole={t`The whole served folder.`}
          missing={t`This folder does not exist yet.`}
          onValue={(path) => onChange({ [name]: path })}
        />
      ))}
      <Field
        {...field('global.siteExe')}
        valuePath="staticGen.Exe"
        placeholder={page.StaticGen}
        value={site.Exe}
        onChange={(event) => onChange({ Exe: event.target.value })}
        {...plain}
      />
      <Field
        {...field('global.siteArgs')}
        valuePath="staticGen.Args"
        value={args}
        onChange={(event) => onArgs(event.target.value)}
        {...plain}
      />
      <Check
        {...field('global.siteClean')}
        checked={site.CleanPublic}
        onChange={(CleanPublic) => onChange({ CleanPublic })}
      />
    </Card>
  )
}
