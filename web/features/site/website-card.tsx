import { useLingui } from '@lingui/react/macro'
import type { StaticGen } from '#contract/publish.ts'
import { page } from '#web/shared/page.ts'
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
  const fields = [
    ['Root', t`Website root`, '/'],
    ['Public', t`Public directory`, '/public'],
    ['Exe', t`Executable`, page.StaticGen],
  ] as const
  const plain = { spellCheck: false, dir: 'ltr', autoCapitalize: 'none' } as const
  return (
    <Card title={t`Website`}>
      <Hint>{t`Both folders are in the served folder. The public directory must be inside the website root.`}</Hint>
      {fields.map(([name, label, placeholder]) => (
        <Field
          key={name}
          label={label}
          valuePath={`staticGen.${name}`}
          placeholder={placeholder}
          value={site[name]}
          onChange={(event) => onChange({ [name]: event.target.value })}
          {...plain}
        />
      ))}
      <Field
        label={t`Arguments`}
        valuePath="staticGen.Args"
        value={args}
        onChange={(event) => onArgs(event.target.value)}
        {...plain}
      />
      <Check
        label={t`Clean before publishing: remove files that the site no longer has`}
        checked={site.CleanPublic}
        onChange={(CleanPublic) => onChange({ CleanPublic })}
      />
    </Card>
  )
}
