import { Trans, useLingui } from '@lingui/react/macro'
import { Minus, Plus } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { Rule } from '#contract/users.ts'
import { useSettingTexts } from '#web/shared/settings/texts.ts'
import { type RuleFieldName, ruleHelp } from '#web/shared/settings/user-texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Buttons, Check, Hint } from '#web/ui/form.tsx'
import { decide } from './decide.ts'
import styles from './rules-editor.module.css'

interface RulesEditorProps {
  /** Whose rules they are: those of one user, or those of the instance. */
  where: 'user' | 'global'
  rules: readonly Rule[]
  onChange(rules: Rule[]): void
}

/** Allow and deny rules, one per line. The last match decides (contract/README.md#resources). */
export function RulesEditor({ where, rules, onChange }: RulesEditorProps) {
  const { t, i18n } = useLingui()
  const { field } = useSettingTexts()
  const help = useId()
  // One line explains all rules.
  const inRule = (name: RuleFieldName) => ({ ...field(name), help: undefined, 'aria-describedby': help })
  const change = (at: number, part: Partial<Rule>) =>
    onChange(rules.map((rule, index) => (index === at ? { ...rule, ...part } : rule)))
  const fill = (at: number, regex: boolean, text: string) =>
    change(at, regex ? { regex, path: '', regexp: { raw: text } } : { regex, path: text, regexp: null })
  const part = useRef<HTMLDivElement>(null)
  /** The selector of the element that gets the focus after a rule is added or removed. */
  const next = useRef('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number of rules changes when one is added or removed.
  useEffect(() => {
    if (next.current) part.current?.querySelector<HTMLElement>(next.current)?.focus()
    next.current = ''
  }, [rules.length])
  const add = () => {
    next.current = 'li:last-child input:not([type=checkbox])'
    // Most rules deny a folder. If a new rule allowed it, the user could believe that the folder is protected.
    onChange([...rules, { allow: false, path: '', regex: false, regexp: null }])
  }
  const remove = (at: number) => {
    // The rule that is then at this position, or the last one; without rules, the button for a new one.
    next.current = rules.length > 1 ? `li:nth-child(${Math.min(at + 1, rules.length - 1)}) button` : 'button'
    onChange(rules.filter((_, index) => index !== at))
  }
  return (
    <div ref={part} className={styles.rules}>
      <Hint id={help}>{i18n._(ruleHelp)}</Hint>
      <ol>
        {rules.map((rule, at) => {
          const number = at + 1
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the position is the only identity of a rule.
            <li key={at} aria-label={t`Rule ${number}`}>
              <Check
                {...inRule(`${where}.regex`)}
                checked={rule.regex}
                onChange={(regex) => fill(at, regex, textOf(rule))}
              />
              <Check
                {...inRule(`${where}.allow`)}
                checked={rule.allow}
                onChange={(allow) => change(at, { allow })}
              />
              <Field
                {...inRule(rule.regex ? `${where}.pattern` : `${where}.rulePath`)}
                valuePath={`rules.${at}`}
                value={textOf(rule)}
                placeholder={rule.regex ? '^/private/.*' : '/private'}
                required
                spellCheck={false}
                dir="ltr"
                autoCapitalize="none"
                onChange={(event) => fill(at, rule.regex, event.target.value)}
              />
              <Button
                variant="quiet"
                icon={Minus}
                iconOnly
                label={t`Remove rule ${number}`}
                onClick={() => remove(at)}
              />
              <Sentence rule={rule} />
            </li>
          )
        })}
      </ol>
      {rules.length > 0 && <Trial {...inRule(`${where}.trial`)} rules={rules} />}
      <Buttons>
        <Button icon={Plus} label={t`Add rule`} onClick={add} />
      </Buttons>
    </div>
  )
}

/** What a rule says. */
function Sentence({ rule }: { rule: Rule }) {
  const text = <code dir="ltr">{textOf(rule)}</code>
  if (textOf(rule) === '') return null
  return (
    <Hint>
      {rule.regex ? (
        rule.allow ? (
          <Trans>Allow every path that matches {text}</Trans>
        ) : (
          <Trans>Deny every path that matches {text}</Trans>
        )
      ) : rule.allow ? (
        <Trans>Allow everything in {text}</Trans>
      ) : (
        <Trans>Deny everything in {text}</Trans>
      )}
    </Hint>
  )
}

interface TrialProps extends Pick<RulesEditorProps, 'rules'> {
  label: string
}

/** Shows what the rules decide for a path that the user types. */
function Trial({ rules, ...texts }: TrialProps) {
  const { t } = useLingui()
  const [path, setPath] = useState('')
  const { isAllowed, rule } = decide(rules, path)
  const result = isAllowed
    ? rule > 0
      ? t`Allowed by rule ${rule}`
      : t`Allowed, because no rule matches`
    : t`Denied by rule ${rule}`
  return (
    <div className={styles.trial}>
      <Field
        {...texts}
        value={path}
        placeholder="/private/report.pdf"
        spellCheck={false}
        dir="ltr"
        autoCapitalize="none"
        onChange={(event) => setPath(event.target.value)}
      />
      <p role="status" data-allowed={isAllowed}>
        {path.trim() && result}
      </p>
    </div>
  )
}

function textOf({ regex, regexp, path }: Rule): string {
  return regex ? (regexp?.raw ?? '') : path
}
